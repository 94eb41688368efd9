import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { OpsTopic, ProcessingQueue, Redrive, RedriveDestination } from '../../../lib';
import { response } from '../../../local';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

const OPS = 'ops@example.com';

/** Asks for each message at a host that is slow, and fails at poison. */
const SLOW_CONSUMER = `exports.handler = async ({ Records: [{ body }] }) => {
  await fetch('https://slow.example.com/', { method: 'POST', body });
  if (body.startsWith('poison')) throw new Error('indigestible');
};`;

/** A queue with a redrive as it is by default, read by such a consumer, two messages at a time, or by nobody. */
async function deploy(isRead: boolean) {
  const deployed = await Deployed.stack(stack => {
    const ops = new OpsTopic(stack, 'Ops', { email: OPS });
    const alarmActions = [ops];
    const orders = new ProcessingQueue(stack, 'Orders', {
      alarmActions,
      visibilityTimeout: Duration.seconds(60),
      maxReceiveCount: 3,
    });
    if (isRead) {
      const consumer = inlineFunction(stack, 'Consumer', SLOW_CONSUMER, { timeout: Duration.seconds(10) });
      orders.addFunctionConsumer(consumer, { batchSize: 1, maxConcurrency: 2 });
    }
    new Redrive(stack, 'Redrive', {
      deadLetterQueue: orders.deadLetters,
      destination: RedriveDestination.queue(orders),
      alarmActions,
      resultsTopic: ops,
      enabled: true,
    });
  });
  deployed.aws.confirmSubscription(OPS);
  deployed.aws.endpoint('slow.example.com').behave({ reply: response(200, '', {}, { latencyMs: 4_000 }) });
  const redrive = new DeployedRedrive(deployed, 'Orders/DeadLetterQueue');
  const mails = () => deployed.aws.recipients.receipts(OPS).map(({ subject }) => subject);
  return { deployed, redrive, mails };
}

test('A canary behind a backlog proves nothing: nothing faster follows, and a human is told', async () => {
  const { deployed, redrive, mails } = await deploy(true);
  const sqs = new SQSClient(deployed.aws.clientConfig());
  for (let batch = 0; batch < 150; batch += 1) {
    const Entries = Array.from({ length: 10 }, (_, i) => ({ Id: `${i}`, MessageBody: `good ${10 * batch + i}` }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: deployed.ref('Orders'), Entries }));
  }
  await deployed.advance({ minutes: 3 });
  await redrive.deadLetterMessage(Array.from({ length: 500 }, (_, i) => `poison ${i}`));
  await redrive.invoke('operator');
  await deployed.advance({ minutes: 25 });
  expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
  expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
    cause: 'unproven',
    reason: '63 of the 63 messages of the canary may wait in the destination yet, behind others',
  });
  expect(mails().filter(subject => /StoppedAlarm/.test(subject ?? ''))).toHaveLength(1);
  expect(mails().filter(subject => /went home/.test(subject ?? ''))).toEqual([]);
});

test('Letters that all went to a queue nobody reads are no good news: a human is told that nobody takes them', async () => {
  const { deployed, redrive, mails } = await deploy(false);
  await redrive.deadLetterMessage(Array.from({ length: 40 }, (_, i) => `order ${i}`));
  await redrive.invoke('operator');
  await deployed.advance({ minutes: 30 });
  expect(redrive.tasks).toEqual(['1/s COMPLETED 40']);
  expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([1, 0, 1]);
  expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({ cause: 'unproven', state: 'stopped' });
  expect(mails().filter(subject => /StoppedAlarm/.test(subject ?? ''))).toHaveLength(1);
  expect(mails().filter(subject => /went home/.test(subject ?? ''))).toEqual([]);
});
