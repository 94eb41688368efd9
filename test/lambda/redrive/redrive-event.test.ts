import { readRedriveEvent } from '../../../lambda/redrive/redrive-event';

test.each(['schedule', 'recovery', 'operator', 'tick'])('%s triggers a redrive, and says when it was due', trigger => {
  expect(readRedriveEvent({ trigger })).toEqual({ trigger });
  const dueAtMs = Date.UTC(2026, 0, 5, 9);
  expect(readRedriveEvent({ trigger, time: '2026-01-05T09:00:00Z' })).toEqual({ trigger, dueAtMs });
});

test.each([
  [{}, 'trigger must be one of schedule, recovery, operator, tick, and is undefined'],
  [null, 'trigger must be one of schedule, recovery, operator, tick, and is undefined'],
  [{ trigger: 'now' }, 'trigger must be one of schedule, recovery, operator, tick, and is "now"'],
  [{ trigger: 'tick', time: 'noon' }, 'time must be an instant in UTC, and is "noon"'],
  [{ trigger: 'tick', time: '2026-01-05T09:00:00+01:00' }, 'time must be an instant in UTC'],
  [{ trigger: 1, time: 2 }, 'and is 1; time must be an instant in UTC, and is 2'],
])('%j triggers nothing', (event, problem) => {
  expect(() => readRedriveEvent(event)).toThrow(problem);
});
