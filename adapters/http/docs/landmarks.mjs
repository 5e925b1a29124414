/** Plugin that adds landmarks around the elements that Swagger UI puts before its main element. */
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
