import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { ROOT } from '../../repository/source-files';
import type { Refused } from './refused';

/** Appends a mark to the rules that a check returns: `marked('⟦1⟧', integerProblems)('retryAttempts', 3)`. */
const MARKED = `const marked = (mark, judge) => (...args) =>
  judge(...args).map(problem => ({ ...problem, rule: problem.rule + mark }));\n`;

/** Places in the source that state a rule: its text, the noun in it, and each call of a check except `throwProblems`. */
const SITES =
  /(?<text>['`]must(?= ))|(?<noun>noun: ['`]an? )|(?<!function |static |private |public |[^.]\.)\b(?!throwP)(?<judge>\w+Problems)(?=\()/g;

/** Returns a TypeScript source in which each of these places leaves its own mark in the error. */
function markSites(source: string, file: string, sites: string[]): string {
  const text = source.replace(SITES, (found, ...rest: unknown[]) => {
    const { judge } = rest.at(-1) as { judge?: string };
    const line = source.slice(0, rest.at(-3) as number).split('\n').length;
    const mark = `⟦${sites.length}⟧`;
    sites.push(`${file}:${line} ${found}`);
    return judge === undefined ? `${found}${mark}` : `marked('${mark}', ${judge})`;
  });
  return text === source ? source : `${MARKED}${text}`;
}

/** Returns every rule of the library, and the rows of refused input with the marked library. Delivery policies and shapes have their own tests. */
export async function markedRules(): Promise<{ readonly sites: readonly string[]; readonly rows: readonly Refused[] }> {
  const sites: string[] = [];
  const marking: Plugin = {
    name: 'marked-rules',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
        const relative = path.relative(ROOT, file).split(path.sep).join('/');
        if (!/^lib\/(?!policy\/|shared\/(cdk-)?shapes\.ts)/.test(relative)) return undefined;
        return { contents: markSites(await readFile(file, 'utf8'), relative, sites), loader: 'ts' };
      });
    },
  };
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path.join(__dirname, 'all-refused.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    packages: 'external',
    plugins: [marking],
  });
  const module = { exports: {} as { REFUSED: readonly Refused[] } };
  compileFunction(outputFiles[0]?.text ?? '', ['module', 'require', '__dirname'])(module, require, ROOT);
  return { sites, rows: module.exports.REFUSED };
}

/** Returns the places that left their marks in these lines. */
export function sitesIn(lines: readonly string[]): ReadonlySet<number> {
  return new Set(lines.flatMap(line => [...line.matchAll(/⟦(\d+)⟧/g)].map(([, site]) => Number(site))));
}

/** A line as it reads in the library without marks. */
export function withoutMarks(line: string): string {
  return line.replace(/⟦\d+⟧/g, '');
}
