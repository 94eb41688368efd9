/**
 * Lists where the code relies on an assumption about AWS. With `--check` it compares the marks in the code,
 * `**Assumption SQS-3:**`, with the rows of docs/assumptions.md, and ends with 1 where they differ. `--root` names another
 * folder than this repository.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const LIST = 'docs/assumptions.md';
const SKIPPED = new Set(['node_modules', 'dist', 'cdk.out', 'coverage']);

/** A mark at its beginning, or at its end. */
const MARK = /\*\*Assumption(?:\s+([A-Z]+-\d+))?:\*\*|\(assumption(?:\s+([A-Z]+-\d+))?\)/g;
/** Block comments, and runs of line comments. */
const COMMENT = /\/\*\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm;
/** Remarks in other words. */
const REMARK = /\bAWS\s+(?:does\s+not|has\s+not|never)\s+(?:publish|say|document)|\bAWS\s+says\s+nothing/;
const ROW = /^\| ([A-Z]+-\d+) \|.*\| ([^|]+) \|$/;

function sourcesIn(root, folder = '') {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : sourcesIn(root, file);
    return entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts') ? [file] : [];
  });
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}

/** Reads the marks of a file, and the remarks in its comments that should be marks. */
function marksOf(root, file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  // A mark may be broken between two lines of a comment.
  const unbroken = text.replaceAll(/\n\s*(?:\*|\/\/) /g, gap => `\n${' '.repeat(gap.length - 1)}`);
  const at = index => `${file}:${lineAt(text, index)}`;
  const marks = [...unbroken.matchAll(MARK)].map(mark => ({ id: mark[1] ?? mark[2], at: at(mark.index) }));
  const remarks = [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const prose = unbroken.slice(index, index + comment.length);
    const remark = prose.search(MARK) < 0 && REMARK.exec(prose);
    return remark ? [{ text: remark[0].replaceAll(/\s+/g, ' '), at: at(index + remark.index) }] : [];
  });
  return { marks, remarks };
}

function rowsOf(root) {
  const lines = readFileSync(path.join(root, LIST), 'utf8').split('\n');
  return lines.flatMap((line, i) => {
    const [, id, tests] = ROW.exec(line) ?? [];
    return id ? [{ id, tests, at: `${LIST}:${i + 1}` }] : [];
  });
}

function rowProblems(root, { id, tests, at }, marked) {
  const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file]) => file);
  return [
    ...(marked.has(id) ? [] : [`${at}: no comment is marked **Assumption ${id}:**. Mark the code, or delete the row`]),
    ...(files.length > 0 || tests === 'none' ? [] : [`${at}: the tests of ${id} must be files or none, got ${tests}`]),
    ...files
      .filter(file => !existsSync(path.join(root, 'test', file)))
      .map(file => `${at}: the test of ${id} must exist, got ${file}`),
  ];
}

function problemsOf(root, marks, remarks) {
  const rows = rowsOf(root);
  const ids = rows.map(({ id }) => id);
  const marked = new Set(marks.map(({ id }) => id));
  return [
    ...marks
      .filter(({ id }) => !ids.includes(id))
      .map(({ id, at }) => `${at}: ${id ?? 'an assumption without an id'} has no row in ${LIST}`),
    ...remarks.map(({ text, at }) => `${at}: "${text}" must be marked **Assumption <id>:** and have a row in ${LIST}`),
    ...rows.filter(({ id }, i) => ids.indexOf(id) < i).map(({ id, at }) => `${at}: ${id} has two rows`),
    ...rows.flatMap(row => rowProblems(root, row, marked)),
  ];
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, root: { type: 'string' } } });
const root = values.root ?? path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const found = sourcesIn(root).map(file => marksOf(root, file));
const marks = found.flatMap(({ marks }) => marks);
if (values.check) {
  const problems = problemsOf(
    root,
    marks,
    found.flatMap(({ remarks }) => remarks),
  );
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} else {
  for (const { id, at } of marks.sort((a, b) => String(a.id).localeCompare(String(b.id), 'en', { numeric: true })))
    console.log(`${id}\t${at}`);
}
