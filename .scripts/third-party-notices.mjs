/** Collects the licences of what esbuild has bundled: whoever passes a bundle on passes these on with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying)(\.\w+)?$/i;

/** The innermost package folder of a bundled file, such as `node_modules/a/node_modules/@b/c`; undefined for our own. */
function packageFolder(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function notice(root, folder) {
  const directory = path.join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find(entry => LICENSE_FILE.test(entry));
  const text = file ? readFileSync(path.join(directory, file), 'utf8').trim() : `Licensed under ${license}.`;
  return { title: `${name} ${version} (${license})`, text };
}

/**
 * @param root the repository
 * @param metafiles of the bundles, as esbuild gives them
 * @returns the text of THIRD-PARTY-NOTICES, packages in order of name
 */
export function thirdPartyNotices(root, metafiles) {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = [...new Set(inputs.map(packageFolder))].filter(
    folder => folder !== undefined && existsSync(path.join(root, folder, 'package.json')),
  );
  const notices = new Map(folders.map(folder => notice(root, folder)).map(it => [it.title, it.text]));
  const sections = [...notices].sort(([a], [b]) => (a < b ? -1 : 1)).map(([title, text]) => `${title}\n\n${text}\n`);
  return ['The bundles of this package contain the following.\n', ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}
