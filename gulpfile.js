const { readFileSync, rmSync } = require('node:fs');
const { Transform } = require('node:stream');
const { dest, parallel, src } = require('gulp');

// Sources name this address where n8n wants a link to the documentation; the real one is in package.json alone.
const PLACEHOLDER = 'https://homepage.invalid/';
const { homepage } = JSON.parse(readFileSync('package.json', 'utf8'));

// `npm run dev` builds elsewhere.
const DIST = process.env.MESSAGING_SEND_DIST ?? 'dist';

function fillInHomepage() {
  return new Transform({
    objectMode: true,
    transform(file, _encoding, done) {
      file.contents = Buffer.from(file.contents.toString().replaceAll(PLACEHOLDER, homepage));
      done(null, file);
    },
  });
}

/** Nothing of an earlier build may end up in the package. */
async function clean() {
  rmSync(DIST, { recursive: true, force: true });
}

function icons() {
  return src('icons/*.svg', { encoding: false }).pipe(dest(`${DIST}/icons`));
}

function codex() {
  return src('nodes/**/*.node.json', { base: 'nodes' })
    .pipe(fillInHomepage())
    .pipe(dest(`${DIST}/nodes`));
}

/** Where n8n finds the fields of each operation's output. */
function outputSchemas() {
  return src('nodes/**/__schema__/**/*.json', { base: 'nodes' }).pipe(dest(`${DIST}/nodes`));
}

function credentialLinks() {
  return src(`${DIST}/credentials/*.js`)
    .pipe(fillInHomepage())
    .pipe(dest(`${DIST}/credentials`));
}

exports.clean = clean;
exports.build = parallel(icons, codex, outputSchemas, credentialLinks);
