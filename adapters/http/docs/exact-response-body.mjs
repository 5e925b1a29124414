const token = /\{\s*\}|\[\s*\]|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** JSON text over several lines, every value as it was written. */
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

/** A plugin: Swagger UI shows a JSON answer by way of JSON.parse, which rounds integers past 2^53. */
export const exactResponseBody = ({ React, getComponent }) => ({
  wrapComponents: {
    responseBody: (ResponseBody) => (properties) =>
      /json/i.test(properties.contentType) && typeof properties.content === 'string'
        ? React.createElement(
            getComponent('HighlightCode', true),
            { language: 'json', downloadable: true, fileName: 'answer.json', canCopy: true },
            indentJson(properties.content),
          )
        : React.createElement(ResponseBody, properties),
  },
});
