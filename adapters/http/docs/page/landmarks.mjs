/** A plugin: what Swagger UI puts before its main element gets landmarks too, so that nothing is outside of one. */
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
