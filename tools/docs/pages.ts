import { readProjectFile } from '../project';
import { benchParts, speedParts } from './bench';

/** The Markdown of each part of a page, by the part's name. */
type Parts = Readonly<Record<string, string>>;

const PARTS: Readonly<Record<string, () => Parts>> = {
  'docs/from-http-request.md': speedParts,
  'bench/README.md': benchParts,
};

export const PAGES_WITH_PARTS = Object.keys(PARTS);

/** The comments around a generated part. */
const PART = /(?<start><!-- npm run docs: (?<name>[\w-]+) -->\n)[^]*?(?<end><!-- end -->)/g;

/** The page with newly generated parts; throws if it lacks a part, or has one that nothing generates. */
export function withParts(page: string, text = readProjectFile(page)): string {
  const parts = PARTS[page]?.() ?? {};
  const missing = new Set(Object.keys(parts));
  const filled = text.replace(PART, (_all, start: string, name: string, end: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`${page}: nothing makes the part "${name}"`);
    missing.delete(name);
    return `${start}\n${part}\n\n${end}`;
  });
  if (missing.size > 0) throw new Error(`${page} lacks the parts ${[...missing].join(', ')}`);
  return filled;
}
