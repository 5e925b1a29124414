const token = /\{\s*\}|\[\s*\]|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const indentJson = (text) => {
  let margin = '\n';
  const indented = (text.match(token) ?? []).map((part) => {
    switch (part) {
      case '{':
      case '[':
        margin += '  ';
        return part + margin;
      case '}':
      case ']':
        margin = margin.slice(0, -2);
        return margin + part;
      case ',':
        return part + margin;
      case ':':
        return ': ';
      default:
        return part;
    }
  });
  return indented.join('');
};

/**
 * Swagger UI plugin that shows integers in JSON responses exactly. JSON.parse, which Swagger UI uses, rounds those past
 * 2^53.
 */
export const exactResponseBody = ({ React: { createElement }, getComponent }) => ({
  wrapComponents: {
    responseBody: (ResponseBody) => (properties) => {
      const { content, contentType } = properties;
      if (!/json/i.test(contentType) || typeof content !== 'string') {
        return createElement(ResponseBody, properties);
      }
      const shown = { language: 'json', downloadable: true, fileName: 'answer.json', canCopy: true };
      return createElement(
        'div',
        null,
        createElement('h5', null, 'Response body'),
        createElement(getComponent('HighlightCode', true), shown, indentJson(content)),
      );
    },
  },
});
