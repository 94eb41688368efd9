import { Timeline } from '../../../local/kernel/timeline';
import { Receivers } from '../../../local/sqs/receivers';

describe('long polls that wait for one queue', () => {
  it('are each asked what they take: one that takes nothing holds up nobody', async () => {
    const timeline = new Timeline(0);
    const receivers = new Receivers(timeline);
    const answers: string[] = [];
    const wait = (name: string, attempt: () => string | undefined) =>
      timeline.whenSettled(
        receivers.wait(20_000, attempt, () => 'nothing'),
        result =>
          void answers.push(`${name} ${result.status === 'fulfilled' ? result.value : 'failed'} ${timeline.nowMs}`),
      );
    wait('first', () => undefined);
    wait('second', () => 'a message');
    timeline.after(5_000, () => receivers.announce());
    await timeline.advanceTo(30_000);
    expect(answers).toEqual(['second a message 5000', 'first nothing 20000']);
  });
});
