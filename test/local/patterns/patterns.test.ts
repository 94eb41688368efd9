import type { LocalAws } from '../../../local';
import { Deployed } from '../../support/deployed';
import { PATTERNS } from './patterns';

/** Whether a message is in the queue `End`, or the function `End` ran. */
function hasReachedEnd(aws: LocalAws): boolean {
  const { type, ref } = aws.resource('Test/End');
  if (type === 'AWS::SQS::Queue') return aws.drain('Test/End').length > 0;
  return aws.trace.events.some(
    it => it.type === 'lambda.finished' && it.outcome === 'success' && it.functionArn.endsWith(`:${ref}`),
  );
}

test('there is an app for 40 patterns and more, and a message reaches the end of 15 and more', () => {
  const patterns = Object.values(PATTERNS);
  expect(patterns.length).toBeGreaterThanOrEqual(40);
  expect(patterns.filter(({ send }) => send).length).toBeGreaterThanOrEqual(15);
});

test.each(Object.entries(PATTERNS))('%s', async (_, { fill, send }) => {
  const deployed = await Deployed.stack(fill, { standIns: 'warn' });
  const { aws } = deployed;
  expect(aws.stacks).toHaveLength(1);
  if (send) {
    const sending = send(deployed);
    await aws.advance({ seconds: 30 });
    await sending;
    expect(hasReachedEnd(aws)).toBe(true);
  }
  await deployed.close();
});
