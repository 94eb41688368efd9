/**
 * Plays runs in which much happens at once, and prints the SHA-256 of the trace of each. `check-node.mjs` compares them
 * between releases of Node.js. With a folder as its argument it also writes the traces there.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { deployCheck, LocalAws, response } from '../dist/local/index.js';

const folder = mkdtempSync(path.join(tmpdir(), 'dlo-same-bytes-'));
const [, , out] = process.argv;
const NEAR = { account: '111111111111', region: 'us-east-1' };
const FAR = { account: '222222222222', region: 'eu-west-1' };
const FAR_QUEUE = `arn:aws:sqs:${FAR.region}:${FAR.account}:far`;

const arnOf = id => ({ 'Fn::GetAtt': [id, 'Arn'] });
const allow = (Action, Resource, Principal = '*') => ({
  Statement: [{ Effect: 'Allow', Principal, Action, Resource }],
});

/** Counts its messages in a table, and fails on about a third of its batches at random. */
const CODE = `const { DynamoDBClient, UpdateItemCommand } = require('@aws-sdk/client-dynamodb');
const table = new DynamoDBClient({});
exports.handler = async event => {
  for (const { messageId } of event.Records) {
    await table.send(new UpdateItemCommand({
      TableName: process.env.TABLE,
      Key: { id: { S: messageId } },
      UpdateExpression: 'ADD seen :one SET expires = :expires',
      ExpressionAttributeValues: { ':one': { N: '1' }, ':expires': { N: String(Math.floor(Date.now() / 1000)) } },
    }));
  }
  await new Promise(resolve => setTimeout(resolve, 3_000 * Math.random()));
  console.log(event.Records.length, Math.random());
  if (Math.random() < 0.3) throw new Error('unlucky');
};`;

/** A topic in one account; in another account and Region a queue with a function and a dead-letter queue. */
function templates({ queueName = 'far', delay = 0, broken = false } = {}) {
  const far = {
    Dead: { Type: 'AWS::SQS::Queue' },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: queueName,
        DelaySeconds: delay,
        RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 2 },
      },
    },
    Policy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Queues: [{ Ref: 'Queue' }], PolicyDocument: allow('sqs:SendMessage', arnOf('Queue')) },
    },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: allow('sts:AssumeRole', undefined, { Service: 'lambda.amazonaws.com' }),
        Policies: [
          {
            PolicyName: 'all',
            PolicyDocument: {
              Statement: [{ Effect: 'Allow', Action: ['sqs:*', 'logs:*', 'dynamodb:*'], Resource: '*' }],
            },
          },
        ],
      },
    },
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
      },
    },
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Runtime: 'nodejs22.x',
        Handler: 'index.handler',
        Role: arnOf('Role'),
        Timeout: 10,
        Environment: { Variables: { TABLE: { Ref: 'Table' } } },
        Code: { ZipFile: CODE },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: arnOf('Queue'), FunctionName: { Ref: 'Worker' }, BatchSize: 5 },
    },
    ...(broken && { Broken: { Type: 'AWS::SQS::Queue', DependsOn: 'Queue', Properties: { DelaySeconds: 5_000 } } }),
  };
  const subscription = (Protocol, Endpoint) => ({
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol, Endpoint },
  });
  const near = {
    Topic: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'orders' } },
    Sub: subscription('sqs', FAR_QUEUE.replace(/far$/, queueName)),
    Partner: subscription('https', 'https://partner.example.com/'),
  };
  return { Far: far, Near: near };
}

let made = 0;

function assembly(options) {
  made += 1;
  const directory = path.join(folder, `assembly-${made}`);
  mkdirSync(directory);
  const artifacts = Object.entries(templates(options)).map(([name, Resources]) => {
    const templateFile = `${name}.template.json`;
    writeFileSync(path.join(directory, templateFile), JSON.stringify({ Resources }));
    const { account, region } = name === 'Far' ? FAR : NEAR;
    const environment = `aws://${account}/${region}`;
    const dependencies = name === 'Far' ? [] : ['Far'];
    return [name, { type: 'aws:cloudformation:stack', environment, properties: { templateFile }, dependencies }];
  });
  const manifest = { version: '38.0.0', artifacts: Object.fromEntries(artifacts) };
  writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify(manifest));
  return directory;
}

const deploy = () => LocalAws.deploy(assembly(), { seed: 7, place: NEAR, sns: { jitter: true } });

/** An update, one that is rolled back, and a deletion, while orders flow between two accounts and Regions. */
async function updates() {
  const aws = await deploy();
  aws.endpoint('partner.example.com').behave({ reply: response(503), count: 9 });
  for (let i = 0; i < 60; i += 1) {
    aws.timeline.after(i * 4_000, () => {
      // A queue of another account confirms its subscription, as an endpoint does.
      for (const { endpoint } of aws.state().pendingSubscriptions) aws.confirmSubscription(endpoint);
      aws.publish('orders', `order ${i}`);
    });
  }
  await aws.advance({ seconds: 20 });
  await aws.update(assembly({ queueName: 'other', delay: 3 }));
  await aws.advance({ seconds: 20 });
  const failed = await aws.update(assembly({ queueName: 'other', broken: true })).catch(error => error);
  if (failed?.name !== 'StackFailed') throw new Error('the update must be rolled back');
  await aws.advance({ minutes: 10 });
  await aws.advance({ days: 1 });
  await aws.destroy();
  const trace = aws.trace.toJsonLines();
  await aws.close();
  return trace;
}

/** Goes back to a snapshot and on again, over HTTP. */
async function restored() {
  const aws = await deploy();
  const { url } = await aws.listen({ rewindable: true });
  const credentials = { accessKeyId: NEAR.account, secretAccessKey: 'b' };
  const sns = new SNSClient({ endpoint: url, region: NEAR.region, credentials, maxAttempts: 1 });
  const TopicArn = `arn:aws:sns:${NEAR.region}:${NEAR.account}:orders`;
  const control = async (route, body) => {
    const answer = await fetch(`${url}/_dlo/${route}`, { method: 'POST', ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${route}: ${await answer.text()}`);
    return answer.json();
  };
  const orders = async from => {
    for (let i = from; i < from + 8; i += 1) {
      await sns.send(new PublishCommand({ TopicArn, Message: `order ${i}` }));
      await control('advance', { seconds: 5 });
    }
  };
  await control('confirm', { endpoint: FAR_QUEUE });
  await control('confirm', { endpoint: 'https://partner.example.com/' });
  await orders(0);
  await aws.update(assembly({ delay: 5 }));
  const { snapshot } = await control('snapshot');
  await orders(8);
  await control('advance', { seconds: 600 });
  const once = aws.trace.toJsonLines();
  await control('restore', { snapshot });
  await orders(8);
  await control('advance', { seconds: 600 });
  const again = aws.trace.toJsonLines();
  await aws.close();
  if (again !== once) throw new Error('the restored run differs from the first');
  return again;
}

const checked = async () =>
  JSON.stringify(await deployCheck(assembly(), assembly({ queueName: 'other' }), { place: NEAR }));

try {
  for (const [name, play] of Object.entries({ updates, restored, checked })) {
    const bytes = await play();
    if (out !== undefined) writeFileSync(path.join(out, `${name}.jsonl`), bytes);
    const hash = createHash('sha256').update(bytes).digest('hex');
    console.log(`${name} ${hash} ${bytes.split('\n').length} lines, ${bytes.length} characters`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
