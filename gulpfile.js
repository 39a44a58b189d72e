const { readFileSync } = require('node:fs');
const { Transform } = require('node:stream');
const { dest, src } = require('gulp');
const { format } = require('prettier');

// Sources name this address where n8n wants a link to the documentation; the real one is in package.json alone.
const PLACEHOLDER = 'https://homepage.invalid/';
const { homepage } = JSON.parse(readFileSync('package.json', 'utf8'));

/** What `n8n-node build` leaves to do: links to the documentation, n8n's codex files, and tabs, which make it smaller. */
exports.build = () =>
  src(['nodes/**/*.node.json', 'dist/{nodes,credentials}/**/*.js'], { base: '.' })
    .pipe(
      new Transform({
        objectMode: true,
        transform(file, _encoding, done) {
          const text = file.contents.toString().replaceAll(PLACEHOLDER, homepage);
          const options = { filepath: file.path, useTabs: true, printWidth: 160, singleQuote: true };
          format(text, options).then((formatted) => {
            file.contents = Buffer.from(formatted);
            done(null, file);
          }, done);
        },
      }),
    )
    .pipe(dest((file) => (file.extname === '.json' ? 'dist' : '.')));
