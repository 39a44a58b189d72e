/**
 * Required by n8n before anything else (`node --require`): after each run of Send Bulk, prints for how long at most the
 * event loop was blocked during that run, in milliseconds, and for how long at most it worked without a pause. A process
 * that waits for a core is blocked, and does not work.
 */
const Module = require('node:module');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { clearInterval, setInterval } = require('node:timers');
const { setImmediate: nextTurn } = require('node:timers/promises');

const load = Module._load;
let watched;

Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (request.endsWith('/MessagingSend.node.js') && loaded !== watched) {
    watched = loaded;
    watch(loaded);
  }
  return loaded;
};

function watch(exported) {
  exported.MessagingSend = class extends exported.MessagingSend {
    constructor() {
      super();
      const { message } = this.customOperations;
      const { sendBulk } = message;
      this.customOperations.message = {
        ...message,
        async sendBulk() {
          const end = startWatching();
          try {
            return await sendBulk.call(this);
          } finally {
            // The end of the node's work counts, too.
            await nextTurn();
            const { blocked, worked } = end();
            console.log(`longest block: ${blocked} ms, longest work: ${worked} ms`);
          }
        },
      };
    }
  };
}

function startWatching() {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let before = workOfThread();
  let worked = 0;
  const look = () => {
    const now = workOfThread();
    worked = Math.max(worked, now - before);
    before = now;
  };
  const timer = setInterval(look, 1);
  delay.enable();
  return () => {
    look();
    clearInterval(timer);
    delay.disable();
    return { blocked: delay.max / 1e6, worked };
  };
}

/** In milliseconds since the process started. */
function workOfThread() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
