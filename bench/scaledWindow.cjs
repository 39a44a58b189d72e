/**
 * Required by n8n before anything else (`node --require`): gives the node's pacers a window of `BENCH_WINDOW_MS` instead
 * of a minute.
 */
const Module = require('node:module');

const load = Module._load;

Module._load = function (request, parent, ...rest) {
  const loaded = load.call(this, request, parent, ...rest);
  if (request === './pacer' && !loaded.isScaled && parent?.filename.endsWith('/MessagingSend/requests/requests.js')) {
    loaded.Pacer = class extends loaded.Pacer {
      constructor(_minute, clock) {
        super(Number(process.env.BENCH_WINDOW_MS), clock);
      }
    };
    loaded.isScaled = true;
  }
  return loaded;
};
