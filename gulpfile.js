const { readFileSync, rmSync } = require('node:fs');
const { Transform } = require('node:stream');
const { dest, parallel, series, src } = require('gulp');

// Sources name this address where n8n wants a link to the documentation; the real one is in package.json alone.
const PLACEHOLDER = 'https://homepage.invalid/';
const { homepage } = JSON.parse(readFileSync('package.json', 'utf8'));

// `npm run dev` builds elsewhere.
const DIST = process.env.MESSAGING_SEND_DIST ?? 'dist';

function changed(change) {
  return new Transform({
    objectMode: true,
    transform(file, _encoding, done) {
      file.contents = Buffer.from(change(file.contents.toString()));
      done(null, file);
    },
  });
}

const fillInHomepage = () => changed((text) => text.replaceAll(PLACEHOLDER, homepage));

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

/** tsc indents by four spaces; with tabs, the package is smaller. */
function tabs() {
  return src(`${DIST}/**/*.js`)
    .pipe(changed((text) => text.replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))))
    .pipe(dest(DIST));
}

exports.clean = clean;
exports.build = parallel(icons, codex, outputSchemas, credentialLinks);
exports.package = series(exports.build, tabs);
