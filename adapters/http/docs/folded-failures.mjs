const isFailure = (code) => /^[45]/.test(code);

/** Swagger UI plugin that folds the error responses, so that the successful one is easy to find. */
export const foldedFailures = ({ React: { createElement, useState }, getComponent }) => {
  const inCode = (text) =>
    text
      .split('`')
      .map((part, index) => (index % 2 === 1 ? createElement('code', { key: index }, part) : part));

  /** Renders an error response as Swagger UI does, once it is unfolded. */
  const Failure = ({ code, response, operation }) => {
    const [isOpen, setOpen] = useState(false);
    const {
      fn,
      getConfigs,
      method,
      oas3Actions,
      oas3Selectors,
      path,
      producesValue,
      specPath,
      specSelectors,
    } = operation;
    const row = () =>
      createElement(getComponent('response'), {
        ...{
          code,
          response,
          path,
          method,
          fn,
          getComponent,
          getConfigs,
          oas3Actions,
          oas3Selectors,
          specSelectors,
        },
        specPath: specPath.push(code),
        contentType: producesValue,
        activeExamplesKey: oas3Selectors.activeExamplesMember(path, method, 'responses', code),
        controlsAcceptHeader: false,
        onContentTypeChange: () => undefined,
      });
    return createElement(
      'details',
      { className: 'failure', onToggle: ({ currentTarget }) => setOpen(currentTarget.open) },
      createElement('summary', null, `${code} `, ...inCode(response.get('description', ''))),
      isOpen
        ? createElement('table', { className: 'responses-table' }, createElement('tbody', null, row()))
        : null,
    );
  };

  return {
    wrapComponents: {
      responses: (Responses) => (properties) => {
        const { responses } = properties;
        const failures = responses.filter((_, code) => isFailure(code));
        return createElement(
          'div',
          null,
          createElement(Responses, {
            ...properties,
            responses: responses.filterNot((_, code) => isFailure(code)),
          }),
          createElement(
            'div',
            { className: 'failures' },
            createElement('h4', null, 'Failures'),
            ...failures
              .entrySeq()
              .map(([code, response]) =>
                createElement(Failure, { key: code, code, response, operation: properties }),
              ),
          ),
        );
      },
    },
  };
};
