/**
 * Writes the API reference, docs/API.md, from the assembly jsii has built; with `--check` it writes nothing and fails where
 * it says something else. Other files may be named behind.
 *
 * jsii-docgen repeats what each construct inherits from aws-cdk-lib: two thirds of its text. Here a type says what it
 * extends, with a link to the CDK's own reference, and lists what is ours.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Documentation, Language, MarkdownRenderer } from 'jsii-docgen';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const CDK_REFERENCE = 'https://docs.aws.amazon.com/cdk/api/v2/docs';

const { types } = JSON.parse(readFileSync(path.join(root, '.jsii'), 'utf8'));

/** The names of a type's bases and interfaces. */
function basesOf({ base, interfaces = [] }) {
  return base ? [base, ...interfaces] : interfaces;
}

/** A type and all of its ancestors that are in this package. */
function oursOf(type) {
  const ancestors = basesOf(type).flatMap(name => (types[name] ? oursOf(types[name]) : []));
  return [type, ...ancestors];
}

/** The nearest ancestors from elsewhere, but `Construct`, which says nothing of a construct. */
function foreignBasesOf(type) {
  const names = oursOf(type).flatMap(basesOf);
  return [...new Set(names)].filter(name => !types[name] && name !== 'constructs.Construct');
}

function link(name) {
  return name.startsWith('aws-cdk-lib.') ? `[\`${name}\`](${CDK_REFERENCE}/${name}.html)` : `\`${name}\``;
}

function withoutInherited(documented) {
  const type = types[documented.fqn];
  const own = new Set(
    oursOf(type).flatMap(({ methods = [], properties = [] }) => [...methods, ...properties].map(({ name }) => name)),
  );
  const lists = ['instanceMethods', 'staticMethods', 'properties', 'constants'].filter(list => documented[list]);
  const kept = lists.map(list => [list, documented[list].filter(({ displayName }) => own.has(displayName))]);
  const foreign = foreignBasesOf(type);
  const extended = foreign.length > 0 ? `It has all that ${foreign.map(link).join(' and ')} has.` : undefined;
  const remarks = [documented.docs.remarks, extended].filter(Boolean).join('\n\n');
  return { ...documented, ...Object.fromEntries(kept), docs: { ...documented.docs, ...(remarks && { remarks }) } };
}

async function reference() {
  const documentation = await Documentation.forProject(root);
  try {
    const { content } = await documentation.toJson({ language: Language.TYPESCRIPT });
    const { apiReference } = content;
    for (const kind of ['constructs', 'classes', 'structs', 'interfaces']) {
      apiReference[kind] = apiReference[kind].map(withoutInherited);
    }
    return MarkdownRenderer.fromSchema(content, {}).render();
  } finally {
    await documentation.cleanup();
  }
}

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });
const text = await reference();
for (const file of positionals.length > 0 ? positionals : ['docs/API.md']) {
  if (!values.check) writeFileSync(path.resolve(root, file), text);
  else if (readFileSync(path.resolve(root, file), 'utf8') !== text) {
    console.error(`${file} is stale: run npm run docs`);
    process.exitCode = 1;
  }
}
