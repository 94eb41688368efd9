import { chronicle, rentalDayRules } from '../../../bin/story/chronicle';
import type { TracedAwsEvent } from '../../../local';
import { MINUTE_MS } from '../../../policy/time-units';

type StateChange = Extract<TracedAwsEvent, { readonly type: 'cloudwatch.alarm-state-changed' }>;

const change = (alarmName: string, atMinutes: number, from: StateChange['from'], to: StateChange['to']) =>
  ({ type: 'cloudwatch.alarm-state-changed', alarmName, atMs: atMinutes * MINUTE_MS, from, to }) as StateChange;

test('an alarm is said to ring only when it goes into ALARM, however long it rang', () => {
  const events = [
    change('New', 0, 'INSUFFICIENT_DATA', 'OK'),
    change('Long', 10, 'OK', 'ALARM'),
    change('Short', 20, 'OK', 'ALARM'),
    change('Short', 25, 'ALARM', 'OK'),
    change('Short', 30, 'OK', 'ALARM'),
    change('Short', 40, 'ALARM', 'OK'),
    change('Long', 100, 'ALARM', 'OK'),
  ];
  const lines = chronicle(events, rentalDayRules(events));
  expect(lines.map(({ atMs, mark, text }) => [atMs / MINUTE_MS, mark, text])).toEqual([
    [10, 'alarm', 'ALARM Long'],
    [20, 'alarm', 'ALARM Short'],
    [40, 'ok', 'Short is quiet, after ringing 2 times.'],
    [100, 'ok', 'Long is quiet.'],
  ]);
});
