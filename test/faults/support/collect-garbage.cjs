/* eslint-disable no-undef, @typescript-eslint/no-require-imports */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

// Loaded before the service: what its heap holds then is what something still refers to.
setFlagsFromString('--expose-gc');
setInterval(runInNewContext('gc'), 250).unref();
