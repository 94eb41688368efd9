import { existsSync, readFileSync } from 'node:fs';

/** A key of a JSON or YAML object that begins a line, quoted or not. */
const KEY = /^\s*(["']?)([A-Za-z0-9]+)\1\s*:/;

function linesOf(templatePath: string): ReadonlyMap<string, number> {
  const lines = existsSync(templatePath) ? readFileSync(templatePath, 'utf8').split('\n') : [];
  const start = lines.findIndex(line => KEY.exec(line)?.[2] === 'Resources');
  const found = new Map<string, number>();
  lines.forEach((line, index) => {
    const [, , key] = KEY.exec(line) ?? [];
    if (index > start && key !== undefined && !found.has(key)) found.set(key, index + 1);
  });
  return found;
}

/** Returns a function that finds the line of a resource in its template. It reads each template once. */
export function lineOfResource(): (templatePath: string, logicalId: string) => number | undefined {
  const read = new Map<string, ReadonlyMap<string, number>>();
  return (templatePath, logicalId) => {
    const lines = read.get(templatePath) ?? linesOf(templatePath);
    read.set(templatePath, lines);
    return lines.get(logicalId);
  };
}
