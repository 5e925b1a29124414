/** Swagger UI plugin that adds accessibility landmarks around the elements before the main element. */
export const landmarks = ({ React: { createElement } }) => {
  const inSection = (name) => (Component) => (properties) =>
    createElement('section', { 'aria-label': name }, createElement(Component, properties));
  return {
    wrapComponents: {
      InfoContainer: inSection('About this document'),
      ServersContainer: inSection('Servers'),
    },
  };
};
