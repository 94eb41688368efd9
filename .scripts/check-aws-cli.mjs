/**
 * Drives `dlo local`, as it ships, with the `aws` command: a second client, in another language, that shares no code with
 * ours. Says so and ends well where the command is not installed.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeSmallAssembly } from './small-assembly.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dlo = path.join(root, 'dist/bin/dlo.js');
const ACCOUNT = '123456789012';
const START = '2026-01-01T00:00:00Z';

const folder = mkdtempSync(path.join(tmpdir(), 'dlo-aws-cli-'));
const inFolder = name => path.join(folder, name);
let url = '';

/** The words of a command. A value is one word, whatever is in it. */
const wordsOf = (texts, values) =>
  texts.flatMap((text, at) => [...text.split(/\s+/).filter(Boolean), ...values.slice(at, at + 1)]);

/** What a command of `aws` prints, as JSON: aws`sqs list-queues`. */
async function aws(texts, ...values) {
  const { stdout } = await execAws(wordsOf(texts, values));
  return stdout.trim() === '' ? {} : JSON.parse(stdout);
}

/** What a command of `aws` prints on stderr when it fails. */
async function refused(texts, ...values) {
  const args = wordsOf(texts, values);
  try {
    await execAws(args);
  } catch (error) {
    return String(error.stderr);
  }
  throw new Error(`aws ${args.join(' ')} was to fail`);
}

function execAws(args) {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_CONFIG_FILE: inFolder('no-config'),
    AWS_SHARED_CREDENTIALS_FILE: inFolder('no-credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_MAX_ATTEMPTS: '1',
    AWS_PAGER: '',
  };
  return promisify(execFile)('aws', ['--endpoint-url', url, '--output', 'json', ...args], { env });
}

/** What `/_dlo/...` answers. */
async function control(method, route, body) {
  const answer = await fetch(`${url}/_dlo/${route}`, { method, ...(body && { body: JSON.stringify(body) }) });
  const json = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(json));
  return json;
}

/** Starts the command, and answers it once it listens. */
async function start() {
  const settings = 'local --port 0 --speed 0 --json'.split(' ');
  const args = [dlo, ...settings, '--start-at', START, '--assembly', writeSmallAssembly(folder)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', code => reject(new Error(`dlo local ended with ${code}`)));
  });
  url = JSON.parse(first).url;
  return child;
}

const arn = (service, resource) => `arn:aws:${service}:us-east-1:${ACCOUNT}:${resource}`;

const DEPOT = `
Parameters:
  Delay: { Type: Number, Default: 0 }
Resources:
  Parcels:
    Type: AWS::SQS::Queue
    Properties: { QueueName: !Sub '\${AWS::StackName}-parcels', DelaySeconds: !Ref Delay }
  Labels: { Type: AWS::S3::Bucket }
Outputs:
  Url: { Value: !Ref Parcels }
  Labels: { Value: !GetAtt Labels.Arn }
`;

/** Lets time pass while `act` waits for a stack. */
async function withTime(act) {
  let isDone = false;
  const acting = act().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await control('POST', 'advance', { seconds: 10 });
    await Promise.race([acting.catch(() => {}), setTimeout(200)]);
  }
  return acting;
}

const CHECKS = {
  async sqs() {
    const QueueUrl = `${url}/${ACCOUNT}/orders`;
    assert.deepEqual(await aws`sqs list-queues`, { QueueUrls: [QueueUrl] });
    const attributes = '{"kind":{"DataType":"String","StringValue":"rental"}}';
    await aws`sqs send-message --queue-url ${QueueUrl} --message-body hello --message-attributes ${attributes}`;
    const { Messages } = await aws`sqs receive-message --queue-url ${QueueUrl} --message-attribute-names All`;
    assert.equal(Messages[0].Body, 'hello');
    assert.equal(Messages[0].MessageAttributes.kind.StringValue, 'rental');
    await aws`sqs delete-message --queue-url ${QueueUrl} --receipt-handle ${Messages[0].ReceiptHandle}`;
    const { Attributes } = await aws`sqs get-queue-attributes --queue-url ${QueueUrl} --attribute-names All`;
    assert.equal(Attributes.QueueArn, arn('sqs', 'orders'));
    assert.match(await refused`sqs get-queue-url --queue-name nope`, /AWS\.SimpleQueueService\.NonExistentQueue/);
  },
  async sns() {
    const topic = arn('sns', 'events');
    assert.deepEqual(await aws`sns list-topics`, { Topics: [{ TopicArn: topic }] });
    await aws`sqs create-queue --queue-name events`;
    const statement = { Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: arn('sqs', 'events') };
    const policy = JSON.stringify({ Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }) });
    const queueUrl = `${url}/${ACCOUNT}/events`;
    await aws`sqs set-queue-attributes --queue-url ${queueUrl} --attributes ${policy}`;
    await aws`sns subscribe --topic-arn ${topic} --protocol sqs --notification-endpoint ${arn('sqs', 'events')}`;
    const { MessageId } = await aws`sns publish --topic-arn ${topic} --message Grüße --subject x`;
    const { Messages } = await aws`sqs receive-message --queue-url ${queueUrl}`;
    const envelope = JSON.parse(Messages[0].Body);
    assert.deepEqual([envelope.MessageId, envelope.Message, envelope.Subject], [MessageId, 'Grüße', 'x']);
    assert.match(await refused`sns publish --topic-arn ${arn('sns', 'nope')} --message x`, /NotFound/);
  },
  async cloudwatch() {
    await aws`cloudwatch put-metric-data --namespace Shop --metric-name Orders --value 3`;
    const { Datapoints } = await aws`cloudwatch get-metric-statistics --namespace Shop --metric-name Orders
      --period 60 --statistics Sum --start-time ${START} --end-time 2026-01-01T01:00:00Z`;
    assert.deepEqual(
      Datapoints.map(({ Sum }) => Sum),
      [3],
    );
    await aws`cloudwatch put-metric-alarm --alarm-name busy --namespace Shop --metric-name Orders --statistic Sum
      --period 60 --evaluation-periods 1 --threshold 1 --comparison-operator GreaterThanThreshold`;
    const { MetricAlarms } = await aws`cloudwatch describe-alarms`;
    assert.deepEqual(
      MetricAlarms.map(({ AlarmName, StateValue }) => [AlarmName, StateValue]),
      [['busy', 'INSUFFICIENT_DATA']],
    );
  },
  async lambda() {
    const { Functions } = await aws`lambda list-functions`;
    assert.deepEqual(
      Functions.map(({ FunctionArn }) => FunctionArn),
      [arn('lambda', 'function:greeter')],
    );
    const out = inFolder('out.json');
    const payload = Buffer.from('{"name":"you"}').toString('base64');
    // The second version of the command takes base64, the first text.
    const given = (await majorVersion()) === 1 ? '{"name":"you"}' : payload;
    const { StatusCode } = await aws`lambda invoke --function-name greeter --payload ${given} ${out}`;
    assert.equal(StatusCode, 200);
    assert.deepEqual(JSON.parse(readFileSync(out, 'utf8')), { greeting: 'hello you' });
    assert.match(await refused`lambda invoke --function-name nope ${out}`, /ResourceNotFoundException/);
  },
  async logs() {
    const { logGroups } = await aws`logs describe-log-groups`;
    assert.ok(logGroups.some(({ logGroupName }) => logGroupName === '/aws/lambda/greeter'));
    const { events } = await aws`logs filter-log-events --log-group-name /aws/lambda/greeter`;
    assert.ok(events.some(({ message }) => message.startsWith('START RequestId')));
  },
  async events() {
    const pattern = '{"source":["shop"]}';
    await aws`events put-rule --name shop --event-pattern ${pattern}`;
    const { Rules } = await aws`events list-rules`;
    assert.deepEqual(
      Rules.map(({ Name, EventPattern }) => [Name, EventPattern]),
      [['shop', pattern]],
    );
    const entries = JSON.stringify([{ Source: 'shop', DetailType: 'order', Detail: '{}' }]);
    assert.equal((await aws`events put-events --entries ${entries}`).FailedEntryCount, 0);
  },
  async scheduler() {
    const target = JSON.stringify({ Arn: arn('sqs', 'orders'), RoleArn: `arn:aws:iam::${ACCOUNT}:role/greeter` });
    await aws`scheduler create-schedule --name hourly --schedule-expression ${'rate(1 hour)'}
      --flexible-time-window Mode=OFF --target ${target}`;
    const { Schedules } = await aws`scheduler list-schedules`;
    assert.deepEqual(
      Schedules.map(({ Name, State }) => [Name, State]),
      [['hourly', 'ENABLED']],
    );
    assert.match(await refused`scheduler get-schedule --name nope`, /ResourceNotFoundException/);
  },
  async kms() {
    const { KeyMetadata } = await aws`kms create-key --description ${'for orders'}`;
    assert.equal(KeyMetadata.Arn, arn('kms', `key/${KeyMetadata.KeyId}`));
    const { Keys } = await aws`kms list-keys`;
    assert.ok(Keys.some(({ KeyId }) => KeyId === KeyMetadata.KeyId));
  },
  async sts() {
    const { Account, Arn } = await aws`sts get-caller-identity`;
    assert.deepEqual([Account, Arn], [ACCOUNT, `arn:aws:iam::${ACCOUNT}:root`]);
  },
  async iam() {
    const { Role } = await aws`iam get-role --role-name greeter`;
    assert.equal(Role.Arn, `arn:aws:iam::${ACCOUNT}:role/greeter`);
    assert.match(await refused`iam get-role --role-name nope`, /NoSuchEntity/);
  },
  async ssm() {
    await aws`ssm put-parameter --name /shop/size --type String --value large`;
    assert.equal((await aws`ssm get-parameter --name /shop/size`).Parameter.Value, 'large');
    assert.match(await refused`ssm get-parameter --name nope`, /ParameterNotFound/);
  },
  async secretsmanager() {
    await aws`secretsmanager create-secret --name shop --secret-string hush`;
    assert.equal((await aws`secretsmanager get-secret-value --secret-id shop`).SecretString, 'hush');
  },
  async cloudformation() {
    const { Stacks } = await aws`cloudformation describe-stacks --stack-name Shop`;
    assert.equal(Stacks[0].StackStatus, 'CREATE_COMPLETE');
    assert.deepEqual(
      Stacks[0].Outputs.map(({ OutputValue }) => OutputValue),
      [`${url}/${ACCOUNT}/orders`],
    );
    assert.match(await refused`cloudformation describe-stacks --stack-name nope`, /ValidationError/);
  },
  async 'what is not here'() {
    assert.match(await refused`glue get-databases`, /NotImplemented.*does not implement glue/s);
    assert.match(await refused`sqs list-queues --region eu-west-1`, /simulates us-east-1/);
  },
  async control() {
    await control('PUT', 'faults', { service: 'sqs', status: 503, forSeconds: 60 });
    assert.match(await refused`sqs list-queues`, /ServiceUnavailable/);
    assert.equal((await control('POST', 'advance', { seconds: 60 })).now, '2026-01-01T00:01:00.000Z');
    assert.equal((await aws`sqs list-queues`).QueueUrls.length, 2);
    const { events, next } = await control('GET', 'trace?since=0');
    assert.equal(events.length, next);
  },
  async 'cloudformation deploy'() {
    const deploy = (stack, template, ...more) => {
      const file = inFolder(`${stack}.yaml`);
      writeFileSync(file, template);
      return withTime(() =>
        execAws(['cloudformation', 'deploy', '--stack-name', stack, '--template-file', file, ...more]),
      );
    };
    const described = async stack => (await aws`cloudformation describe-stacks --stack-name ${stack}`).Stacks[0];
    await deploy('Depot', DEPOT);
    const created = await described('Depot');
    assert.equal(created.StackStatus, 'CREATE_COMPLETE');
    const [parcels, labels] = created.Outputs.map(({ OutputValue }) => OutputValue);
    assert.equal(parcels, `${url}/${ACCOUNT}/Depot-parcels`);
    assert.match(labels, /^arn:aws:s3:::depot-labels-[a-z0-9]{12}$/);
    await deploy('Depot', DEPOT, '--parameter-overrides', 'Delay=9');
    assert.equal((await described('Depot')).StackStatus, 'UPDATE_COMPLETE');
    await assert.rejects(deploy('Depot', DEPOT, '--parameter-overrides', 'Delay=5000'));
    assert.equal((await described('Depot')).StackStatus, 'UPDATE_ROLLBACK_COMPLETE');
    const sam = deploy('Sam', `Transform: AWS::Serverless-2016-10-31\n${DEPOT}`);
    await assert.rejects(sam, ({ stderr }) => /Transform is not implemented.*without macros/s.test(stderr));
    await aws`cloudformation delete-stack --stack-name Depot`;
    await control('POST', 'advance', { seconds: 60 });
    assert.match(await refused`cloudformation describe-stacks --stack-name Depot`, /does not exist/);
  },
};

async function majorVersion() {
  const { stdout, stderr } = await promisify(execFile)('aws', ['--version']);
  return Number(/aws-cli\/(\d+)/.exec(stdout + stderr)?.[1]);
}

/** Every check, one after the other: some build on what others have left. */
async function check() {
  const child = await start();
  let failures = 0;
  try {
    for (const [name, run] of Object.entries(CHECKS)) {
      try {
        await run();
        console.log(`ok      ${name}`);
      } catch (error) {
        failures += 1;
        console.log(`failed  ${name}: ${error.stderr ?? error.message}`);
      }
    }
  } finally {
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGINT');
    assert.equal(await ended, 0, 'dlo local ends with 0');
  }
  return failures;
}

if (spawnSync('aws', ['--version']).error) {
  console.log('the aws command is not installed: nothing was checked');
} else {
  try {
    if ((await check()) > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
