import { readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { transformSync } from '@swc/core';
import { App } from 'aws-cdk-lib';
import { type ReceivedRequest, response } from '../../local';
import { deadLetterAttributes } from '../../policy/messages/reason-attributes';
import { RELAY_METRICS } from '../../policy/metric-names';
import { DEAD_LETTER_CAUSES } from '../../policy/relay/attempt-verdict';
import { Deployed } from '../support/deployed';
import { examples, stackOf } from '../support/markdown-examples';
import { networkAgent } from '../support/network-agent';
import { ROOT } from './source-files';

const HOST = 'partner.example.com';
const GUIDE = readFileSync(path.join(ROOT, 'docs/relay.md'), 'utf8');
const [TEN_LINES = '', , WITH_SECRETS = ''] = examples(GUIDE);
const [WEBHOOK = '', SNS = ''] = [...GUIDE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);

function appOf(example: string): App {
  const { root } = stackOf(example).node;
  if (!(root instanceof App)) throw new Error('the example has no app');
  return root;
}

const deploy = (example: string) => Deployed.assembly(appOf(example).synth().directory);

const textOf = ({ body }: ReceivedRequest) => Buffer.from(body).toString('utf8');

/** Publishes an order and returns the requests that were posted. */
async function posted(deployed: Deployed): Promise<readonly ReceivedRequest[]> {
  await deployed.publish('/Orders/OrdersTopic', '{"order": 7}');
  await deployed.advance({ minutes: 1 });
  return deployed.aws.endpoint(HOST).requests.filter(({ method }) => method === 'POST');
}

/** Runs code of the guide as the body of a function, with the given variables. */
function run(code: string, given: Readonly<Record<string, unknown>>): unknown {
  const exported = code.replace(/^const message = /m, 'export const message = ');
  const { code: body } = transformSync(exported, { module: { type: 'commonjs' } });
  const module = { exports: { message: undefined as unknown } };
  const names = ['module', 'exports', 'require', ...Object.keys(given)];
  new Function(...names, body)(module, module.exports, require, ...Object.values(given));
  return module.exports.message;
}

/** The first cells of every table, if they are code. */
const cells = [...GUIDE.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word),
);

describe('the guide to the relay', () => {
  test('has ten lines that deliver', async () => {
    const [request] = await posted(await deploy(TEN_LINES));
    expect(JSON.parse(textOf(request as ReceivedRequest))).toMatchObject({ Message: '{"order": 7}' });
  });

  test('names every cause, metric and attribute', () => {
    for (const cause of DEAD_LETTER_CAUSES) expect(GUIDE).toContain(`dead: \`${cause}\``);
    const facts = { cause: 'gone', reason: 'r', attemptsSpent: 1, lastStatusCode: 410, destination: 'd' } as const;
    const times = { sentAtMs: 0, firstReceivedAtMs: 0, deadLetteredAtMs: 0 };
    const { attributes } = deadLetterAttributes({ ...facts, ...times }, '');
    expect(cells).toEqual(expect.arrayContaining(Object.keys(attributes)));
  });

  test('shows a record as the function writes it, and names its metrics', async () => {
    const deployed = await deploy(TEN_LINES);
    deployed.aws.endpoint(HOST).behave({ reply: response(503) });
    await posted(deployed);
    const lines = deployed.log(deployed.ref('/Orders/OrdersTopic/Deliveries/ToPartnerRelay/Log'));
    const written = lines.filter(line => line.startsWith('{')).map(line => JSON.parse(line));
    const shown = JSON.parse(GUIDE.match(/^```json\n([\s\S]*?)^```$/m)?.[1] ?? '');
    const keysOf = (record: object) => Object.entries(record).map(([key, value]) => [key, Object.keys(Object(value))]);
    const records = written.filter(line => 'delivery' in line && line.relay.nextRetryInSeconds > 0);
    expect(records.map(keysOf)).toContainEqual(keysOf(shown));
    const [metrics] = written.filter(line => '_aws' in line);
    const names = metrics._aws.CloudWatchMetrics[0].Metrics.map(({ Name }: { Name: string }) => Name);
    expect(metrics._aws.CloudWatchMetrics[0].Namespace).toBe(RELAY_METRICS.namespace);
    expect(names.length).toBe(12);
    expect(cells).toEqual(expect.arrayContaining([...names, 'BreakerState']));
  });
});

describe('the verification code in the guide', () => {
  const { globalAgent } = https;
  const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const SECRETS = {
    'partner/url': `https://${HOST}/orders?token=t0ken`,
    'partner/headers': '{"Authorization": "Bearer of-good-news"}',
    'partner/signing': keyOf(1),
  };

  afterEach(() => {
    https.globalAgent = globalAgent;
  });

  async function deployedWithSecrets(): Promise<{ deployed: Deployed; secrets: SecretsManagerClient }> {
    const deployed = await deploy(WITH_SECRETS);
    const secrets = new SecretsManagerClient(deployed.aws.clientConfig());
    for (const [Name, SecretString] of Object.entries(SECRETS)) {
      await secrets.send(new CreateSecretCommand({ Name, SecretString }));
    }
    return { deployed, secrets };
  }

  /** Verifies as the receiver does, with a clock that shows the time of the embedded AWS. */
  function verified(request: ReceivedRequest | undefined, secret: string, body = request && textOf(request)): unknown {
    jest.useFakeTimers({ now: request?.atMs });
    try {
      return run(WEBHOOK, { secret, body, headers: request?.headers });
    } finally {
      jest.useRealTimers();
    }
  }

  test('accepts what a relay signed, with either key during a rotation, and nothing else', async () => {
    const { deployed, secrets } = await deployedWithSecrets();
    const [request] = await posted(deployed);
    expect(request?.headers['authorization']).toBe('Bearer of-good-news');
    expect(verified(request, keyOf(1))).toMatchObject({ Message: '{"order": 7}' });
    expect(() => verified(request, keyOf(2))).toThrow('No matching signature');
    expect(() => verified(request, keyOf(1), '{"order": 8}')).toThrow('No matching signature');
    await secrets.send(new PutSecretValueCommand({ SecretId: 'partner/signing', SecretString: keyOf(2) }));
    await deployed.advance({ minutes: 6 });
    const rotated = (await posted(deployed)).at(-1);
    for (const key of [1, 2]) expect(verified(rotated, keyOf(key))).toBeDefined();
    await secrets.send(new PutSecretValueCommand({ SecretId: 'partner/signing', SecretString: keyOf(2) }));
    await deployed.advance({ minutes: 6 });
    const after = (await posted(deployed)).at(-1);
    expect(verified(after, keyOf(2))).toBeDefined();
    expect(() => verified(after, keyOf(1))).toThrow('No matching signature');
  });

  test('accepts what SNS signed, and nothing else', async () => {
    const { deployed } = await deployedWithSecrets();
    const [request] = await posted(deployed);
    https.globalAgent = networkAgent(deployed.aws.services.network) as https.Agent;
    const body = textOf(request as ReceivedRequest);
    const validated = (text: string) => new Promise((take, refuse) => run(SNS, { body: text, take, refuse }));
    expect(await validated(body)).toMatchObject({ Message: '{"order": 7}' });
    await expect(validated(body.replace('7', '8'))).rejects.toThrow();
  });
});
