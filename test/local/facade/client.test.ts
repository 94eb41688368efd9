import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type Behaviour, LocalAws, noAnswer, response, silence } from '../../../local';
import { Deployed } from '../../support/deployed';

function shop(stack: Stack): void {
  new Queue(stack, 'Queue');
  new Topic(stack, 'Topic');
}

describe('a call nobody waits for', () => {
  // A client caches what it reads from the environment, so each test uses another type of client.
  test('of a client that calls for the first time is made before time moves', async () => {
    const deployed = await Deployed.stack(shop);
    const { aws } = deployed;
    const [QueueUrl, TopicArn] = [deployed.ref('Queue'), deployed.ref('Topic')];
    const startMs = aws.nowMs;
    const sent = new SQSClient(aws.clientConfig()).send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const published = new SNSClient(aws.clientConfig()).send(new PublishCommand({ TopicArn, Message: 'hello' }));
    const described = new CloudWatchClient(aws.clientConfig()).send(new DescribeAlarmsCommand({}));
    await aws.advance({ hours: 1 });
    await Promise.all([sent, published, described]);
    expect(deployed.happened('sqs.sent').map(({ atMs }) => atMs)).toEqual([startMs]);
    expect(deployed.happened('sns.published').map(({ atMs }) => atMs)).toEqual([startMs]);
  });

  test('is made before runUntilIdle looks for work', async () => {
    const deployed = await Deployed.stack(shop);
    const { aws, sqs } = deployed;
    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl: deployed.ref('Queue'), WaitTimeSeconds: 20 }));
    await aws.runUntilIdle();
    expect((await poll).Messages).toBeUndefined();
    expect(deployed.seconds).toBe(20);
  });

  test('may be a long poll of an empty queue, which ends when its twenty seconds have passed', async () => {
    const deployed = await Deployed.stack(shop);
    const { aws } = deployed;
    const QueueUrl = deployed.ref('Queue');
    const sqs = new SQSClient(aws.clientConfig());

    const poll = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    await aws.advance({ seconds: 20 });
    const { Messages } = await poll;

    expect(Messages).toBeUndefined();
    expect(deployed.seconds).toBe(20);
  });
});

describe('what the machine has configured for AWS', () => {
  const before = { ...process.env };
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-config-'));
  const configFile = path.join(folder, 'config');

  beforeAll(() => {
    writeFileSync(configFile, '[default]\nendpoint_url = http://localhost:4566\nmax_attempts = many\n');
  });

  afterEach(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  /** Sends a message and a notification, asks for alarms, and answers the outside hosts that were reached. */
  const play = async (more: object = {}): Promise<void> => {
    const deployed = await Deployed.stack(shop);
    const { aws } = deployed;
    const config = { ...aws.clientConfig(), ...more };
    const QueueUrl = deployed.ref('Queue');
    await new SQSClient(config).send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    await new SNSClient(config).send(new PublishCommand({ TopicArn: deployed.ref('Topic'), Message: 'hello' }));
    await new CloudWatchClient(config).send(new DescribeAlarmsCommand({}));
    expect(await deployed.take('Queue')).toEqual(['hello']);
    expect(deployed.happened('sns.published')).toHaveLength(1);
    expect(aws.endpoint('localhost').requests).toEqual([]);
  };

  test.each<Readonly<Record<string, string>>>([
    { AWS_ENDPOINT_URL: 'http://localhost:4566' },
    { AWS_ENDPOINT_URL_SQS: 'http://localhost:4566', AWS_ENDPOINT_URL_SNS: 'http://localhost:4566' },
    { AWS_CONFIG_FILE: configFile },
    { AWS_USE_FIPS_ENDPOINT: 'true' },
    { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
    { AWS_DEFAULTS_MODE: 'nonsense' },
    { AWS_MAX_ATTEMPTS: 'many' },
    { AWS_RETRY_MODE: 'nonsense' },
    { AWS_REGION: 'eu-west-1', AWS_PROFILE: 'nobody' },
  ])('changes nothing for a client: %j', async variables => {
    Object.assign(process.env, variables);
    await play();
  });

  test.each(['http://localhost:4566', 'https://localhost'])(
    'cannot send a signed request away, though its client believes in %s',
    async endpoint => {
      await play({ endpoint, useQueueUrlAsEndpoint: false });
      process.env['AWS_ENDPOINT_URL'] = endpoint;
      await play({ ignoreConfiguredEndpointUrls: false, useQueueUrlAsEndpoint: false });
    },
  );
});

/** A host, asked once, and how it was to behave. */
async function asked(behaviour: Behaviour) {
  const aws = LocalAws.start();
  const host = aws.endpoint('partner.example.com');
  host.behave(behaviour);
  const answer = aws.request('POST', 'https://partner.example.com/orders');
  return { aws, answer };
}

describe('a request to a host', () => {
  test('waits, in virtual time, for as long as the answer takes', async () => {
    const { aws, answer } = await asked({ reply: response(200, 'late', {}, { latencyMs: 5_000 }) });
    let text = '';
    void answer.then(it => {
      text = it.text;
    });
    await aws.advance({ seconds: 4.999 });
    expect(text).toBe('');
    await aws.advance({ seconds: 0.001 });
    expect(await answer).toEqual({ status: 200, text: 'late' });
  });

  test.each([
    [noAnswer(), 'ECONNREFUSED'],
    [noAnswer('ENOTFOUND'), 'ENOTFOUND'],
    [silence(), 'nothing is ever received'],
  ])('says which way there was no answer: %j', async (reply, why) => {
    const { answer } = await asked({ reply });
    await expect(answer).rejects.toThrow(`POST https://partner.example.com/orders: no answer (${why})`);
  });
});

describe('that acts as a role', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack(stack => {
      const queue = new Queue(stack, 'Queue');
      const worker = new Role(stack, 'Worker', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
      queue.grantSendMessages(worker);
      new Role(stack, 'Task', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    });
  });

  const send = (role: string, service?: string) => {
    const config = deployed.aws.clientConfig({ role: deployed.arn(role), ...(service !== undefined && { service }) });
    const command = new SendMessageCommand({ QueueUrl: deployed.ref('Queue'), MessageBody: 'hello' });
    return new SQSClient(config).send(command);
  };

  test('has its permissions, also after months', async () => {
    await deployed.advance({ days: 90 });
    await send('Worker');
    await expect(send('Task', 'ecs-tasks.amazonaws.com')).rejects.toThrow('is denied');
  });

  test('needs a role that the service may assume', () => {
    expect(() => send('Task')).toThrow(/^ec2.amazonaws.com cannot give a program the role arn:.*Task/);
    const role = 'arn:aws:iam::123456789012:role/None';
    expect(() => deployed.aws.clientConfig({ role })).toThrow(`the role ${role} does not exist`);
  });

  test.each([
    [{ role: 'Worker' }, 'where.role must be the ARN of a role, got "Worker"'],
    [{ role: 'arn:aws:iam::123456789012:role/None', service: 'EC2 ' }, 'where.service must be a service such as'],
    [{ roleArn: 'arn:aws:iam::123456789012:role/None' }, 'roleArn'],
  ])('is refused as %j', (where, text) => {
    expect(() => deployed.aws.clientConfig(Object(where))).toThrow(text);
  });
});
