/**
 * Distils template/access/managed-policies.json, the documents of AWS's managed policies, from the list in the Python package
 * `moto`, which it downloads with pip. `--moto VERSION` takes that version and no other. Only names and documents carry over.
 *
 * The rule of what is carried:
 * - policies that a customer can attach to a role: not those of service-linked roles and of root tasks
 * - `whole`: documents whose actions all belong to the services in `services`
 * - `parts`: of other documents, the actions of these services alone. The embedded AWS decides no other actions
 * - `nothing`: names of policies without such an action
 * - a document longer than `LONGEST` is left out, and the policy counts as unknown, unless it is in `ALWAYS`
 *
 * `Effect` is left out where it is Allow, `Resource` where it is `*`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const FILE = 'template/access/managed-policies.json';
const LIST = 'moto/iam/aws_managed_policies.py';

/** The services, and single actions, about which the embedded AWS asks the policies of a role. */
const SERVICES = [
  'cloudformation',
  'cloudwatch',
  'dynamodb',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'events',
  'execute-api',
  'firehose',
  'iam',
  'kinesis',
  'kms',
  'lambda',
  'logs',
  'scheduler',
  'secretsmanager',
  'sns',
  'sqs',
  'ssm',
  'sts',
];

const PATHS = ['/', '/service-role/', '/job-function/'];
const LONGEST = 1400;
/** Policies that apps attach although their documents are long. */
const ALWAYS = /^(ReadOnlyAccess|job-function\/.*|CloudWatchFullAccessV2|AmazonECS_FullAccess)$/;

const inOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const listOf = value => (Array.isArray(value) ? value : [value]);

/** Prints a file of a wheel, with its date. */
const READ = `import json, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
file = wheel.getinfo(sys.argv[2])
print(json.dumps({"date": "%d-%02d-%02d" % file.date_time[:3], "text": wheel.read(file).decode()}))`;

function python(...args) {
  const command = process.platform === 'win32' ? 'python' : 'python3';
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.slice(0, 3).join(' ')} fails: ${error?.message ?? stderr}`);
}

/** The list, the version of the package, and the date of the list in it. */
function download(version) {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-managed-policies-'));
  try {
    const wanted = version === undefined ? 'moto' : `moto==${version}`;
    python('-m', 'pip', 'download', '--no-deps', '--quiet', '--disable-pip-version-check', '--dest', folder, wanted);
    const [wheel] = readdirSync(folder);
    return { ...JSON.parse(python('-c', READ, path.join(folder, wheel), LIST)), moto: wheel.split('-')[1] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The list is one text of JSON in a Python file. */
function policiesIn(text) {
  const [, json] = /"""(.*)"""/s.exec(text) ?? [];
  if (json === undefined || json.includes('\\')) throw new Error(`${LIST} has another form than this script reads`);
  return Object.entries(JSON.parse(json));
}

/** Whether a pattern of actions, such as `s*:Get*`, can match an action of one of the services. */
function isKept(pattern) {
  if (pattern === '*') return true;
  const matches = (part, text) => new RegExp(`^${part.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i').test(text);
  const [service, action] = pattern.split(':');
  return SERVICES.some(it => {
    const [own, single] = it.split(':');
    return matches(service, own) && (single === undefined || matches(action, single));
  });
}

const compact = ({ Effect, Resource, ...rest }) => ({
  ...rest,
  ...(Effect === 'Allow' ? {} : { Effect }),
  ...(Resource === undefined || listOf(Resource).join() === '*' ? {} : { Resource }),
});

/** What a statement says of the services; undefined if nothing. */
function partOf({ Sid: _, ...statement }) {
  if (statement.Action === undefined) return statement;
  const [only, ...more] = listOf(statement.Action).filter(isKept);
  if (only === undefined) return undefined;
  return { ...statement, Action: more.length === 0 ? only : [only, ...more] };
}

function distil(policies) {
  const distilled = { whole: {}, parts: {}, nothing: [] };
  for (const [name, { Path, Document }] of policies) {
    if (!PATHS.includes(Path)) continue;
    if (Document.Version !== '2012-10-17') throw new Error(`${name} is of version ${Document.Version}`);
    const key = Path.slice(1) + name;
    const statements = listOf(Document.Statement);
    const parts = statements.map(partOf).filter(it => it !== undefined);
    const isWhole = statements.every(({ Action }) => Action !== undefined && listOf(Action).every(isKept));
    const kept = (isWhole ? statements : parts).map(compact);
    if (kept.length === 0) distilled.nothing.push(key);
    else if (JSON.stringify(kept).length <= LONGEST || ALWAYS.test(key))
      distilled[isWhole ? 'whole' : 'parts'][key] = kept;
  }
  return distilled;
}

/** JSON with a line for each policy, so that a difference shows which have changed. */
function linesOf(documents) {
  const lines = Object.keys(documents)
    .sort(inOrder)
    .map(key => `${JSON.stringify(key)}:${JSON.stringify(documents[key])}`);
  return `{\n${lines.join(',\n')}\n}`;
}

const { values } = parseArgs({ options: { moto: { type: 'string' } } });
const { text, moto, date } = download(values.moto);
const policies = policiesIn(text);
const { whole, parts, nothing } = distil(policies);
const newest = policies
  .map(([, { UpdateDate }]) => UpdateDate.slice(0, 10))
  .sort(inOrder)
  .at(-1);
const about = { moto, date, newest };
const members = {
  about: JSON.stringify(about),
  services: JSON.stringify(SERVICES),
  whole: linesOf(whole),
  parts: linesOf(parts),
  nothing: JSON.stringify(nothing.sort(inOrder)),
};
const json = `{\n${Object.entries(members)
  .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  .join(',\n')}\n}\n`;
writeFileSync(path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), FILE), json);
const counts = [Object.keys(whole).length, Object.keys(parts).length, nothing.length];
console.log(
  `${FILE}: ${Math.round(json.length / 1000)} kB, moto ${moto}: ${counts[0]} whole, ${counts[1]} in part, ${counts[2]} without`,
);
