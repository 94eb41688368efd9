import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { beyondBaseline, fingerprints } from '../../../bin/doctor/baseline';
import { doctorCommand } from '../../../bin/doctor/doctor-command';
import { junitDocument } from '../../../bin/doctor/junit';
import { sarifDocument } from '../../../bin/doctor/sarif';
import { run } from '../../../bin/shared/command-line';
import { CHECKS } from '../../../diagnosis/checks/check-inventory';
import { type Finding, SEVERITIES, type Severity } from '../../../diagnosis/checks/finding';
import { eachFinding } from '../../support/examined';
import { MemoryIo } from '../shared/memory-io';

/** Two queues, each of which a function reads: the first has no redrive policy. */
const YAML = `
Resources:
  Work:
    Type: AWS::SQS::Queue
  Reader:
    Type: AWS::Lambda::EventSourceMapping
    Properties: { FunctionName: bill, EventSourceArn: !GetAtt Work.Arn }
  Dead:
    Type: AWS::SQS::Queue
  Source:
    Type: AWS::SQS::Queue
    Properties:
      RedrivePolicy: { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 1001 }
`;
const JSON_TEMPLATE = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}';
const HEALTHY = 'Resources:\n  Queue:\n    Type: AWS::SQS::Queue\n';

function withFiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-templates-'));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

async function doctor(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const io = new MemoryIo(files);
  const program = new Command('dlo').addCommand(doctorCommand({ io, nowMs: () => 0, wait: async () => {} }));
  const exitCode = await run(program, ['doctor', ...args], io);
  return { exitCode, out: io.out, err: io.err, written: io.written };
}

describe('templates', () => {
  test('a template in YAML is read with its short forms', async () => {
    const file = path.join(withFiles({ 'orders.template.yaml': YAML }), 'orders.template.yaml');
    const { out } = await doctor({}, file, '--json');
    const document = JSON.parse(out);
    const { examined, counts } = document;
    expect(examined).toBe(`${file}, 1 stack`);
    expect(eachFinding(document).map(it => [it.id, it.stack, it.logicalId])).toEqual([
      ['queue-keeps-nothing', 'orders', 'Work'],
      ['dead-letters-expire-early', 'orders', 'Dead'],
      ['receive-count-out-of-range', 'orders', 'Source'],
      ['dead-letters-unwatched', 'orders', 'Dead'],
    ]);
    expect(counts).toEqual({ rejected: 1, loses: 0, 'at-risk': 2, 'on-change': 0, unwatched: 1, note: 0 });
  });

  test('a folder of templates is one app: nested ones are parts of their stack, and other files are left out', async () => {
    const folder = withFiles({
      'a/template.json': JSON_TEMPLATE,
      'b/template.yaml':
        'Resources:\n  Inner:\n    Type: AWS::CloudFormation::Stack\n    Properties: { TemplateURL: ./inner.yml }\n',
      'b/inner.yml': YAML,
      'package.json': '{"name": "orders"}',
      'node_modules/x/t.json': '{"Resources": {"Broken": 1',
    });
    const { out, err } = await doctor({}, folder, '--json');
    const document = JSON.parse(out);
    expect([document.examined, err]).toEqual([`${folder}, 2 stacks`, '']);
    expect(new Set(eachFinding(document).map(it => it.stack))).toEqual(new Set(['b-template.Inner']));
  });

  test.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
    [
      'a SAM template',
      { 't.yaml': `Transform: AWS::Serverless-2016-10-31\n${HEALTHY}` },
      't.yaml',
      /t\.yaml is a SAM template, whose resources only CloudFormation creates\. Read what it makes of it: aws cloudformation get-template/,
    ],
    [
      'a plan of Terraform',
      { 'plan.json': '{"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": {}}' },
      'plan.json',
      /plan\.json is a plan or state of Terraform, which the doctor does not read\. Deploy it and name the account/,
    ],
    [
      'another JSON',
      { 'a.json': '{"name": 1}' },
      'a.json',
      /a\.json is not a CloudFormation template, because it has no Resources/,
    ],
    ...[
      ['t.json', '{"Resources": {"A": null}}'],
      ['t.json', '{"Resources": {"A": {"Type": 7}}}'],
    ].map(([file = '', text = '']): [string, Record<string, string>, string, RegExp] => [
      `a resource without a type: ${text}`,
      { [file]: text },
      file,
      /t\.json must be a template, but its resource A has no Type/,
    ]),
    [
      'an assembly whose resources are a list',
      {
        't.json': '{"Resources": [1]}',
        'manifest.json':
          '{"version":"38.0.0","artifacts":{"T":{"type":"aws:cloudformation:stack","properties":{"templateFile":"t.json"}}}}',
      },
      '.',
      /t\.json must be a template, but its Resources are not an object/,
    ],
    [
      'broken YAML',
      { 't.yaml': 'Resources:\n  - {' },
      't.yaml',
      /t\.yaml: Template format error: YAML not well-formed/,
    ],
    ['broken JSON in a folder', { 't.json': '{\n"Resources": {' }, '.', /t\.json: .*JSON/],
    ['a folder without templates', { 'a.json': '{"name": 1}' }, '.', /nor a folder of CloudFormation templates/],
  ])('%s is refused', async (_, files, name, says) => {
    const { exitCode, err } = await doctor({}, path.join(withFiles(files), name));
    expect([exitCode, err]).toEqual([2, expect.stringMatching(says)]);
  });

  test('a SAM template among others is reported as not read', async () => {
    const sam = `Transform: AWS::Serverless-2016-10-31\n${HEALTHY}`;
    const { exitCode, err } = await doctor({}, withFiles({ 'sam.yaml': sam, 'other.yaml': HEALTHY }));
    expect([exitCode, err]).toEqual([0, expect.stringMatching(/sam is not read: .*by the SAM transform/)]);
  });
});

describe('baseline', () => {
  const folder = withFiles({ 't.yaml': YAML });
  const template = path.join(folder, 't.yaml');

  test('is written, and then leaves out what it contains, also for --fail-on', async () => {
    const first = await doctor({}, template, '--baseline', 'known.json', '--write-baseline', '--fail-on', 'note');
    expect([first.exitCode, first.out]).toEqual([
      0,
      expect.stringMatching(/\n\nNo findings\. 4 more are in the baseline\.\n$/),
    ]);
    const known = first.written.get('known.json') ?? '';
    expect(JSON.parse(known).findings).toHaveLength(4);

    writeFileSync(
      template,
      YAML.replace(
        'AWS::SQS::Queue\n  Reader',
        'AWS::SQS::Queue\n    Properties: {RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 0}}\n  Reader',
      ),
    );
    const second = await doctor({ 'known.json': known }, template, '--baseline', 'known.json', '--fail-on', 'rejected');
    expect(second.out).toMatch(/\n\d findings: 3 more are in the baseline\.\n/);
    expect([second.exitCode, second.err]).toEqual([
      1,
      'dlo: warning: the baseline known.json has what is no longer found: queue-keeps-nothing of Work. --write-baseline removes it\n' +
        'dlo: 1 finding of severity rejected or worse\n',
    ]);
  });

  test.each<[string, Readonly<Record<string, string>>, readonly string[], RegExp]>([
    ['a file that does not exist', {}, ['--baseline', 'b.json'], /the baseline b\.json does not exist: write it with/],
    ['another file', { 'b.json': '{}' }, ['--baseline', 'b.json'], /b\.json must be a baseline of dlo doctor/],
    [
      'an entry without an id',
      { 'b.json': '{"format":"dead-letter-office/baseline","findings":[{"fingerprint":"a"}]}' },
      ['--baseline', 'b.json'],
      /findings\[0\] of b\.json must have a fingerprint, an id and a resource/,
    ],
    ['no file to write', {}, ['--write-baseline'], /--write-baseline needs --baseline FILE/],
  ])('cannot be %s', async (_, files, args, says) => {
    const { exitCode, err } = await doctor(files, template, ...args);
    expect([exitCode, err]).toEqual([2, expect.stringMatching(says)]);
  });
});

const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';
const finding = (severity: Severity, facts: Partial<Finding> = {}): Finding => ({
  id: 'queue-keeps-nothing',
  severity,
  resource: { arn: ARN, name: 'orders' },
  about: [ARN],
  says: 'It <loses> "messages" & more.',
  fix: { says: 'Give it a queue.' },
  ...facts,
});

test('a fingerprint depends on the check, the resource and how many findings they have', () => {
  const printsOf = (...all: Finding[]) => [...fingerprints(all).values()];
  const [one, again] = [finding('at-risk'), finding('note', { says: 'Otherwise said.', about: [ARN, `${ARN}-2`] })];
  expect(printsOf(one)).toEqual(printsOf(again));
  expect(printsOf(one, again)).toEqual(printsOf(again, one));
  const others = [{ id: 'too-few-receives' }, { resource: { arn: `${ARN}-2`, name: 'orders' } }];
  expect(new Set(printsOf(one, again, ...others.map(it => finding('note', it)))).size).toBe(4);
});

test('entries of other stacks are not gone if one stack is examined', () => {
  const entry = { fingerprint: 'x', id: 'a', resource: 'R', stack: 'Other' };
  expect(beyondBaseline([], [entry], 'Mine').gone).toEqual([]);
  expect(beyondBaseline([], [entry], 'Other').gone).toEqual([entry]);
});

/** @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html sections 3.13, 3.19, 3.27, 3.28, 3.49 */
describe('SARIF', () => {
  const place = { stack: 'App', logicalId: 'Work', templatePath: 'cdk.out/App 1.template.json', waitsFor: [] };
  const placed = finding('at-risk', {
    resource: { arn: ARN, name: 'App/Work', place },
    location: 'Properties/RedrivePolicy',
  });

  test('has the rules, and of each finding its rule, level, message, place and fingerprint', () => {
    const document = JSON.parse(JSON.stringify(sarifDocument([placed, finding('note')], '/repo', () => 7)));
    expect(Object.keys(document)).toEqual(['$schema', 'version', 'runs']);
    expect(document.version).toBe('2.1.0');
    const [{ tool, results }] = document.runs;
    const ids: string[] = tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(CHECKS.map(({ id }) => id));
    expect(
      new Set(
        tool.driver.rules.map((it: { defaultConfiguration: { level: string } }) => it.defaultConfiguration.level),
      ),
    ).toEqual(new Set(['error', 'warning', 'note']));
    expect(results[0]).toEqual({
      ruleId: 'queue-keeps-nothing',
      ruleIndex: ids.indexOf('queue-keeps-nothing'),
      level: 'error',
      message: { text: 'It <loses> "messages" & more.\nFix: Give it a queue.' },
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'cdk.out/App%201.template.json' }, region: { startLine: 7 } },
          logicalLocations: [
            { name: 'App/Work', fullyQualifiedName: 'App/Work/Properties/RedrivePolicy', kind: 'resource' },
          ],
        },
      ],
      partialFingerprints: { 'deadLetterOffice/v1': expect.stringMatching(/^[0-9a-f]{16}$/) },
      properties: { severity: 'at-risk' },
    });
    expect(results[1]).toMatchObject({
      level: 'note',
      locations: [{ logicalLocations: [{ fullyQualifiedName: ARN }] }],
    });
  });

  test('names the line of the resource in its template, and a template elsewhere by its URL', async () => {
    const file = path.join(withFiles({ 't.yaml': YAML }), 't.yaml');
    const { written } = await doctor({}, file, '--sarif', 'doctor.sarif', '--severity', 'rejected');
    const [{ results }] = JSON.parse(written.get('doctor.sarif') ?? '').runs;
    const [{ physicalLocation }] = results[0].locations;
    expect(readFileSync(file, 'utf8').split('\n')[physicalLocation.region.startLine - 1]).toBe('  Source:');
    expect(physicalLocation.artifactLocation.uri).toMatch(/^file:\/\/.*\/t\.yaml$/);
  });
});

describe('JUnit', () => {
  test('has a failed case for each finding, in a suite of its severity, with nothing that XML forbids', () => {
    const found = [...SEVERITIES.map(it => finding(it)), finding('note', { says: 'It\u{1b}[2J\nbreaks.' })];
    const xml = junitDocument('cdk.out', found);
    expect(xml).toContain(`<testsuites name="dlo doctor" tests="7" failures="7">`);
    expect([...xml.matchAll(/<testsuite name="(.*?)" tests="(\d)"/g)].map(([, name, count]) => [name, count])).toEqual(
      SEVERITIES.map(it => [it, it === 'note' ? '2' : '1']),
    );
    expect(xml).toContain('message="It &lt;loses&gt; &quot;messages&quot; &amp; more."');
    expect(xml).toContain('It\u{FFFD}[2J&#10;breaks.');
  });

  test('has one passed case if nothing was found', async () => {
    const file = path.join(withFiles({ 't.yaml': HEALTHY }), 't.yaml');
    const { written } = await doctor({}, file, '--junit', 'doctor.xml');
    expect(written.get('doctor.xml')).toMatch(
      /<testsuites name="dlo doctor" tests="1" failures="0">(.|\n)*no findings in .*t\.yaml, 1 stack"\/>/,
    );
  });

  test('cannot be written where there is no folder', async () => {
    const { exitCode, err } = await doctor(
      {},
      path.join(withFiles({ 't.yaml': HEALTHY }), 't.yaml'),
      '--junit',
      '/nowhere/a.xml',
    );
    expect([exitCode, err]).toEqual([1, 'dlo: cannot write /nowhere/a.xml\n']);
  });
});
