import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { App } from 'aws-cdk-lib';
import { response } from '../../local';
import { Deployed } from '../support/deployed';
import { examples, stackOf } from '../support/markdown-examples';
import { ROOT } from './source-files';

const GUIDE = readFileSync(path.join(ROOT, 'docs/relay.md'), 'utf8');
const [TEN_LINES = ''] = examples(GUIDE);
const [, PATTERN = ''] = GUIDE.match(/aws logs filter-log-events [\s\S]*?--filter-pattern (".+")\n```/) ?? [];

async function deployed(): Promise<Deployed> {
  const { root } = stackOf(TEN_LINES).node;
  if (!(root instanceof App)) throw new Error('the example has no app');
  return Deployed.assembly(root.synth().directory);
}

/** The pattern after the shell has expanded it. */
function patternOf(messageId: string): string {
  const script = `printf %s ${PATTERN}`;
  return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env: { MESSAGE_ID: messageId } });
}

async function storyOf({ aws, ref }: { aws: Deployed['aws']; ref: string }, messageId: string) {
  const asked = new FilterLogEventsCommand({ logGroupName: ref, filterPattern: patternOf(messageId) });
  const { events = [], nextToken } = await new CloudWatchLogsClient(aws.clientConfig()).send(asked);
  expect(nextToken).toBeUndefined();
  return events.map(({ message = '' }) => JSON.parse(message));
}

test('The guide to the relay finds everything about one message by the id that SNS returned to its publisher', async () => {
  const deployment = await deployed();
  const { aws } = deployment;
  const log = { aws, ref: deployment.ref('/Orders/OrdersTopic/Deliveries/ToPartnerRelay/Log') };
  const partner = aws.endpoint('partner.example.com');
  partner.behave({ reply: response(503), count: 3 }, { reply: response(422, 'no such order'), count: 1 });
  const dead = await deployment.publish('/Orders/OrdersTopic', '{"order": 7}');
  await deployment.advance({ minutes: 2 });
  const delivered = await deployment.publish('/Orders/OrdersTopic', '{"order": 8}');
  await deployment.advance({ minutes: 1 });
  expect(partner.requests.filter(({ method }) => method === 'POST')).toHaveLength(5);
  const attempt = (statusCode: number, attempts: number, messageId = dead) => ({
    notification: { messageId },
    delivery: { statusCode, attempts },
  });
  expect(await storyOf(log, dead)).toMatchObject([
    attempt(503, 1),
    attempt(503, 2),
    attempt(503, 3),
    attempt(422, 4),
    { message: 'dead-lettered', messageId: dead, cause: 'refused', attemptsSpent: 4, lastStatusCode: 422 },
  ]);
  expect(await storyOf(log, delivered)).toMatchObject([attempt(200, 1, delivered)]);
});

test('The guide to the relay states the size of the log lines of an attempt and a batch, which its costs are based on', async () => {
  const deployment = await deployed();
  for (let order = 0; order < 10; order += 1) await deployment.publish('/Orders/OrdersTopic', 'x'.repeat(1_000));
  await deployment.advance({ minutes: 1 });
  const lines = deployment.log(deployment.ref('/Orders/OrdersTopic/Deliveries/ToPartnerRelay/Log'));
  const attempts = lines.filter(line => line.startsWith('{"notification"'));
  const batches = lines.filter(line => line.startsWith('START'));
  const others = lines.filter(line => !attempts.includes(line) && !line.startsWith('INIT_START'));
  expect(attempts).toHaveLength(10);
  const kilobytes = (of: readonly string[], count: number) => (of.join('').length / count / 1_000).toFixed(1);
  const [, ...said] = GUIDE.match(/logs are ([\d.]+) KB an attempt and ([\d.]+) KB a batch/) ?? [];
  expect(said).toEqual([kilobytes(attempts, 10), kilobytes(others, batches.length)]);
});
