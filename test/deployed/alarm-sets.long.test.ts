import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { build } from 'esbuild';
import { AlarmSet } from '../../lib';
import { assemblyOfStack, editTemplate, type Template } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { confirm, LOSS_ROWS, type LossRow, type LossyPart, lossyApp } from '../support/loss-rows';

const GUIDE = path.join(__dirname, '../../docs/alarms.md');

const REGION = /(?<=<!-- alarms:losses -->\n)[\s\S]*(?=<!-- \/alarms -->)/;

/** Publishes to the topic that invokes it, with AWS's SDK, which carries the trace header. */
const LOOP = `
import { SNSClient, PublishCommand } from '@aws-sdk/client-sns';
const sns = new SNSClient({});
export const handler = async () => {
  await sns.send(new PublishCommand({ TopicArn: process.env.TOPIC_ARN, Message: 'again' }));
};`;

const folder = mkdtempSync(path.join(tmpdir(), 'loop-'));

const SETS = [AlarmSet.ESSENTIAL, AlarmSet.ALL];

/** A part of the app, watched by the alarms of both sets. */
interface WatchedApp {
  readonly assembly: string;
  /** For each set, the paths of the alarms with actions by their logical ids. */
  readonly notifying: readonly ReadonlyMap<string, string>[];
}

function watchedApp(part: LossyPart): WatchedApp {
  const notifying: ReadonlyMap<string, string>[] = [];
  const [essential = '', assembly = ''] = SETS.map(set =>
    assemblyOfStack(stack => {
      lossyApp(part, set, folder)(stack);
      const alarms = stack.node.findAll().filter(it => it instanceof CfnAlarm);
      const withActions = alarms.filter(({ alarmActions }) => stack.resolve(alarmActions)?.length > 0);
      const pathOf = ({ node }: CfnAlarm) => String(node.scope?.node.path).replace(/^Test\//, '');
      notifying.push(new Map(withActions.map(it => [stack.getLogicalId(it), pathOf(it)])));
    }),
  );
  editTemplate(essential, 'Test', one => editTemplate(assembly, 'Test', all => join(one.Resources, all.Resources)));
  return { assembly, notifying };
}

/** Adds alarms of one set to the other's app. The apps must differ in nothing else that an alarm could see. */
function join(one: Template['Resources'], all: Template['Resources']): void {
  const common = Object.keys(one).filter(id => id in all);
  const withoutOrder = (from: Template['Resources']) => common.map(id => [id, { ...from[id], DependsOn: [] }]);
  expect(withoutOrder(one)).toEqual(withoutOrder(all));
  const own = Object.entries({ ...one, ...all }).filter(([id]) => !common.includes(id));
  for (const [, { Type }] of own)
    expect(Type).toMatch(/^AWS::CloudWatch::(Composite)?Alarm$|^AWS::Logs::MetricFilter$/);
  Object.assign(all, one, all);
}

const APPS = new Map<LossyPart, WatchedApp>();

/** For each set, the alarms that notified operators, in the order in which they fired first. */
async function firedBy({ part = 'messaging', act, later }: LossRow): Promise<readonly (readonly string[])[]> {
  const app = APPS.get(part) ?? watchedApp(part);
  APPS.set(part, app);
  const deployed = await Deployed.assembly(app.assembly);
  if (deployed.aws.state().topics.some(({ name }) => name.includes('Orders'))) await confirm(deployed);
  await act(deployed);
  const fromMs = later ? deployed.aws.nowMs : 0;
  await later?.(deployed);
  const names = deployed
    .happened('cloudwatch.alarm-state-changed')
    .filter(({ to, atMs }) => to === 'ALARM' && atMs >= fromMs)
    .map(({ alarmName }) => alarmName);
  const fired = app.notifying.map(set => {
    const paths = new Map([...set].map(([logicalId, path]) => [deployed.ref(`/Test/${logicalId}`), path]));
    return [...new Set(names)].flatMap(it => paths.get(it) ?? []);
  });
  await deployed.close();
  return fired;
}

describe('Every way to lose or delay a message triggers an alarm that notifies', () => {
  const rows: string[] = [];

  beforeAll(() =>
    build({
      stdin: { contents: LOOP, resolveDir: __dirname },
      bundle: true,
      platform: 'node',
      target: 'node20',
      outfile: path.join(folder, 'index.js'),
      logLevel: 'silent',
    }),
  );

  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(LOSS_ROWS)('$way', async row => {
    const fired = await firedBy(row);
    expect(fired).toEqual(SETS.map(() => expect.arrayContaining([expect.any(String)])));
    const cells = fired.map(alarms => alarms.map(it => `\`${it.replace(/Alarm$/, '')}\``).join(', '));
    rows.push(`| ${[row.way, ...cells].join(' | ')} |`);
  });

  test('as docs/alarms.md says', () => {
    const text = ['| What happens | `ESSENTIAL` | `ALL` |', '|---|---|---|', ...rows, ''].join('\n');
    const page = readFileSync(GUIDE, 'utf8').replace(REGION, text);
    if (process.env['DLO_REWRITE_DOCS'] !== undefined) writeFileSync(GUIDE, page);
    expect(readFileSync(GUIDE, 'utf8')).toBe(page);
  });
});
