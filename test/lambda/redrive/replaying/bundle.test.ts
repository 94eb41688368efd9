import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { FunctionFailures, OpsTopic, Quarantine, Redrive, RedriveDestination } from '../../../../lib';
import { Deployed } from '../../../support/deployed';
import { inlineFunction } from '../../../support/inline-function';
import { DeployedRedrive } from '../redrive-fixture';

const RENTS = `exports.handler = async ({ order, poison }) => {
  console.log('tried: ' + order);
  if (poison) throw new RangeError('no such vehicle class');
};`;

function fill(stack: Stack): void {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const handler = inlineFunction(stack, 'Consumer', RENTS, { timeout: Duration.seconds(5) });
  const failures = new FunctionFailures(stack, 'Failures', { handler, alarmActions });
  new Redrive(stack, 'Redrive', {
    deadLetterQueue: failures.deadLetterQueue,
    destination: RedriveDestination.failedEvents(handler),
    quarantine: new Quarantine(stack, 'Quarantine', { alarmActions }),
    steps: [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 50 }],
    enabled: true,
    alarmActions,
  });
}

function held(deployed: Deployed): number {
  const quarantine = deployed.aws.state().queues.find(({ name }) => name === deployed.name('Quarantine'));
  if (!quarantine) throw new Error('there is no quarantine');
  return quarantine.visible + quarantine.inFlight;
}

describe('A redrive of what a function failed at', () => {
  test('replays each letter once, and in the end has in quarantine what failed again', async () => {
    const deployed = await Deployed.stack(fill);
    const redrive = new DeployedRedrive(deployed, 'Failures/DeadLetterQueue');
    const QueueUrl = deployed.ref('Failures/DeadLetterQueue');
    await deployed.advance({ minutes: 1 });
    const orders = Array.from({ length: 40 }, (_, order) => ({ order, poison: order % 10 === 0 }));
    for (const order of orders) {
      await deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(order) }));
    }
    await deployed.advance({ minutes: 1 });
    await redrive.invoke('operator');
    await deployed.advance({ minutes: 20 });
    const movePasses = () => redrive.records.flatMap(({ movePass }) => movePass ?? []);
    expect(movePasses()).toEqual([
      { status: 'COMPLETED', moved: 10, reason: 'it has moved what it should' },
      // The canary's one is met by the step that follows, which waits for its own as well.
      { status: 'COMPLETED', moved: 30, quarantined: 4, returned: 4, reason: 'no letter is visible any more' },
    ]);
    expect(redrive.records.at(-1)).toMatchObject({ did: 'finish', run: { moved: 40, returned: 4 } });
    expect([redrive.dead, held(deployed)]).toEqual([0, 4]);
    const tries = deployed
      .log(`/aws/lambda/${deployed.ref('Consumer')}`)
      .flatMap(line => /tried: (\d+)/.exec(line)?.[1] ?? []);
    // Lambda's own three attempts at each replay that fails, and one at the others.
    const expected = orders.flatMap(({ order, poison }) => Array(poison ? 3 : 1).fill(String(order)));
    expect(tries.sort()).toEqual(expected.sort());
  });
});
