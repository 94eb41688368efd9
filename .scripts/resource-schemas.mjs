/**
 * Distils local/cloudformation/resource-schemas.json from the CloudFormation registry's schemas, as `@aws-cdk/aws-service-spec`
 * publishes them. With `--check` it writes nothing, and ends with 1 where the file differs.
 *
 * Each resource type is one line, `<Ref>|<ARN>|<properties>|<attributes>`, of which `resource-schemas.ts` reads those it needs:
 * - Ref: what `Ref` returns, as names of properties and attributes
 * - ARN: the template of the resource's ARN
 * - properties: `!` is required, `^` replaces the resource when it changes, `~` sometimes does; nested ones only if they replace
 * - attributes: `#` is a number, `?` a boolean, `[` a list, `{` an object, otherwise text
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec';

const FILE = 'local/cloudformation/resource-schemas.json';

const REPLACES = { yes: '^', maybe: '~', no: '' };
const KINDS = { array: '[', boolean: '?', integer: '#', json: '{', map: '{', number: '#', ref: '{', string: '' };

/** The ARN of an example in the documentation: its service and the kind of its resource. */
const ARN_EXAMPLE = /\barn:aws[a-z-]*:([a-z0-9-]+):[^:\s`]*:[^:\s`]*:([a-zA-Z-]+[/:])/;

/** In any order that does not depend on the machine's language. */
const inOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

const refOf = resource => resource.cfnRefIdentifier ?? resource.primaryIdentifier ?? [];

/** Names the properties of a type, and those of its nested types that replace the resource. */
function propertiesOf(db, resource) {
  const found = new Map();
  const walk = (properties, prefix, seen) => {
    for (const [name, { required, causesReplacement = 'no', type }] of Object.entries(properties)) {
      const flags = (required && prefix === '' ? '!' : '') + REPLACES[causesReplacement];
      if (prefix === '' || flags !== '') found.set(prefix + name, flags);
      // Whatever changes inside a property that replaces the resource replaces it too.
      if (causesReplacement === 'yes') continue;
      for (const { id, wildcards } of nestedTypes(type, '')) {
        if (seen.includes(id)) continue;
        walk(db.get('typeDefinition', id).properties, `${prefix}${name}${wildcards}.`, [...seen, id]);
      }
    }
  };
  walk(resource.properties, '', []);
  for (const at of resource.additionalReplacementProperties ?? []) found.set(at.join('.'), '^');
  return [...found].sort(([a], [b]) => inOrder(a, b)).map(([name, flags]) => name + flags);
}

function nestedTypes(type, wildcards) {
  if (type.type === 'array' || type.type === 'map') return nestedTypes(type.element, `${wildcards}.*`);
  if (type.type === 'union') return type.types.flatMap(it => nestedTypes(it, wildcards));
  return type.type === 'ref' ? [{ id: type.reference.$ref, wildcards }] : [];
}

/** The service in the ARNs of a namespace's resources: that of most of them. */
function arnServices(resources) {
  const counts = new Map();
  for (const { cloudFormationType, arnTemplate } of resources) {
    const service = arnTemplate?.split(':')[2];
    if (!service) continue;
    const namespace = cloudFormationType.split('::')[1];
    const ofNamespace = counts.get(namespace) ?? counts.set(namespace, new Map()).get(namespace);
    ofNamespace.set(service, (ofNamespace.get(service) ?? 0) + 1);
  }
  return new Map([...counts].map(([namespace, it]) => [namespace, [...it].sort((a, b) => b[1] - a[1])[0][0]]));
}

/**
 * The template of a resource's ARN. Where the schema has none although the resource has an ARN, it is made from the example in the
 * documentation, or in the form that most resources of the service have.
 */
function arnOf(resource, services) {
  if (resource.arnTemplate) return resource.arnTemplate;
  const { name, attributes, cloudFormationType } = resource;
  const own = ['Arn', 'ARN', `${name}Arn`, ...refOf(resource)].find(it => /a(rn|RN)$/i.test(it) && attributes[it]);
  if (!own) return '';
  const [, namespace] = cloudFormationType.split('::');
  const kebab = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
  const [, service = services.get(namespace) ?? namespace.toLowerCase(), kind = `${kebab}/`] =
    ARN_EXAMPLE.exec(attributes[own].documentation ?? '') ?? [];
  return `arn:\${Partition}:${service}:\${Region}:\${Account}:${kind}\${Id}`;
}

function lineOf(db, resource, services) {
  const attributes = Object.entries(resource.attributes)
    .sort(([a], [b]) => inOrder(a, b))
    .map(([name, { type }]) => name + KINDS[type.type]);
  return [refOf(resource), [arnOf(resource, services)], propertiesOf(db, resource), attributes].join('|');
}

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const db = await loadAwsServiceSpec();
const resources = [...db.all('resource')].sort((a, b) => inOrder(a.cloudFormationType, b.cloudFormationType));
const services = arnServices(resources);
const lines = resources.map(it => [it.cloudFormationType, lineOf(db, it, services)]);
const text = `${JSON.stringify(Object.fromEntries(lines), undefined, 2)}\n`;
const file = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), FILE);
if (!values.check) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error(`${FILE} differs from the schemas: run "node .scripts/resource-schemas.mjs", and read the difference`);
  process.exitCode = 1;
}
