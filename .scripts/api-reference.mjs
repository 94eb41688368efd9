/**
 * Writes the API reference, a page a type in docs/api/ and an index of them, from the assembly jsii has built. With `--check`
 * it writes nothing and fails when a page differs from what it would write.
 *
 * jsii-docgen repeats what each construct inherits from aws-cdk-lib: two thirds of its text. Here a type says what it
 * extends, with a link to the CDK's own reference, and lists what is ours.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const members = oursOf(type).flatMap(({ methods = [], properties = [] }) => [...methods, ...properties]);
  const own = new Set(members.map(({ name }) => name));
  // A member without a docstring has that of the interface, as in an editor.
  const documentedMember = member => ({
    ...member,
    docs: member.docs.summary
      ? member.docs
      : (members.find(it => it.name === member.displayName && it.docs)?.docs ?? {}),
  });
  const lists = ['instanceMethods', 'staticMethods', 'properties', 'constants'].filter(list => documented[list]);
  const kept = lists.map(list => [
    list,
    documented[list].filter(({ displayName }) => own.has(displayName)).map(documentedMember),
  ]);
  const foreign = foreignBasesOf(type);
  const extended = foreign.length > 0 ? `It has all that ${foreign.map(link).join(' and ')} has.` : undefined;
  const remarks = [documented.docs.remarks, extended].filter(Boolean).join('\n\n');
  return { ...documented, ...Object.fromEntries(kept), docs: { ...documented.docs, ...(remarks && { remarks }) } };
}

/** The kinds of types in the order of the index, and how a page of each is rendered. */
const KINDS = [
  { list: 'constructs', title: 'Constructs', render: 'visitConstruct' },
  { list: 'classes', title: 'Classes', render: 'visitClass' },
  { list: 'structs', title: 'Options', render: 'visitStruct' },
  { list: 'interfaces', title: 'Interfaces', render: 'visitInterface' },
  { list: 'enums', title: 'Enumerations', render: 'visitEnum' },
];

const nameIn = id => id.split('.')[1];

/** The page of a type: its own, but for the props of a construct, which stand on the construct's. */
function pageOf(name, constructs) {
  const construct = name.replace(/Props$/, '');
  return constructs.has(construct) ? construct : name;
}

/** The text of each page of the reference by its file name. */
function pagesOf({ apiReference, metadata }) {
  const constructs = new Set(apiReference.constructs.map(({ displayName }) => displayName));
  const linkFormatter = ({ packageName, id, displayName, fqn }) =>
    packageName === metadata.packageName
      ? `<a href="${pageOf(nameIn(id), constructs)}.md#${id}">${displayName}</a>`
      : fqn;
  const renderer = new MarkdownRenderer({ ...metadata, language: Language.TYPESCRIPT, linkFormatter });
  const pages = new Map();
  const index = [
    '# API reference',
    '',
    'What the package exports. `npm run docs` writes these pages from the docstrings.',
  ];
  for (const { list, title, render } of KINDS) {
    const types = apiReference[list].map(withoutInherited);
    const listed = types.filter(({ displayName }) => pageOf(displayName, constructs) === displayName);
    index.push('', `## ${title}`, '');
    index.push(
      ...listed.map(({ displayName, docs }) => `- [${displayName}](${displayName}.md): ${docs.summary ?? ''}`),
    );
    for (const type of types) {
      const file = `${pageOf(type.displayName, constructs)}.md`;
      pages.set(file, `${pages.get(file) ?? ''}${renderer[render](type).render(1)}\n`);
    }
  }
  return pages.set('README.md', `${index.join('\n')}\n`);
}

async function reference() {
  const documentation = await Documentation.forProject(root);
  try {
    const { content } = await documentation.toJson({ language: Language.TYPESCRIPT });
    return pagesOf(content);
  } finally {
    await documentation.cleanup();
  }
}

/** Files of the folder that differ from `pages`, are missing, or belong to no page. */
function staleFiles(folder, pages) {
  const present = existsSync(folder) ? readdirSync(folder) : [];
  const differs = file => !present.includes(file) || readFileSync(path.join(folder, file), 'utf8') !== pages.get(file);
  return [...[...pages.keys()].filter(differs), ...present.filter(file => !pages.has(file))];
}

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const folder = path.join(root, 'docs/api');
const pages = await reference();
if (values.check) {
  for (const file of staleFiles(folder, pages)) {
    console.error(`docs/api/${file} is stale: run npm run docs`);
    process.exitCode = 1;
  }
} else {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of pages) writeFileSync(path.join(folder, file), text);
}
