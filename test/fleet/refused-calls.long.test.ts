import { AlarmSet } from '../../lib';
import { response } from '../../local';
import { HOUR_MS, HOUR_SECONDS } from '../../policy/time-units';
import { FleetSimulation } from './fleet-simulation';

const HOURS = 2;
const QUARTER_SECONDS = 900;

/** A fleet with an event a minute for two hours, and two hours after them. */
async function played(
  fault: 'none' | 'refused' | 'throttled',
  { status, maxPerSecond, alarms }: { status: number; maxPerSecond?: number; alarms: AlarmSet },
) {
  const fleet = await FleetSimulation.deploy(1, { alarms });
  await fleet.add({ group: 'acme/one', ...(maxPerSecond !== undefined && { maxPerSecond }) });
  fleet.host('acme/one').behave({ reply: response(status) });
  await fleet.advance({ minutes: 1 });
  const { aws } = fleet.deployed;
  const ofTable = { service: 'dynamodb', action: 'PutItem' } as const;
  if (fault !== 'none') {
    const how = fault === 'throttled' ? { throttle: true } : { httpStatus: 400, code: 'AccessDeniedException' };
    aws.faults.set({ ...ofTable, ...how, untilMs: aws.nowMs + HOURS * HOUR_MS });
  }
  const from = fleet.deployed.seconds;
  for (let minute = 0; minute < HOURS * 60; minute += 1) {
    fleet.event('acme');
    await fleet.advance({ minutes: 1 });
  }
  const requests = fleet.requests('acme/one').length;
  const until = fleet.deployed.seconds;
  fleet.host('acme/one').behave({ reply: response(200) });
  await fleet.advance({ hours: 2 });
  return { fleet, from, until, requests, ledger: await fleet.ledger() };
}

const DOWN = { status: 503, alarms: AlarmSet.ESSENTIAL };

describe('A fleet whose table takes no writes', () => {
  test('rings once when they are throttled, and delivers late to an endpoint with a ceiling', async () => {
    const alarm = 'Fleet/BrokenAlarm';
    const { fleet, from, until, ledger } = await played('throttled', {
      status: 200,
      maxPerSecond: 5,
      alarms: AlarmSet.ALL,
    });
    const [fired = Number.POSITIVE_INFINITY, ...again] = fleet.deployed.alarmed(alarm);
    expect(fired - from).toBeLessThanOrEqual(QUARTER_SECONDS);
    expect(again).toEqual([]);
    const [, ok] = fleet.deployed.rings(alarm).filter(({ seconds }) => seconds > from);
    expect(ok).toMatchObject({ to: 'OK' });
    expect((ok?.seconds ?? 0) - until).toBeLessThanOrEqual(HOUR_SECONDS);
    expect(ledger).toMatchObject({ due: HOURS * 60, delivered: HOURS * 60, lost: 0 });
  });

  test('rings once when they are refused, and sends an endpoint that is down at most half as many requests again as without the fault', async () => {
    const control = await played('none', DOWN);
    const { fleet, from, requests, ledger } = await played('refused', DOWN);
    expect(requests).toBeLessThanOrEqual(1.5 * control.requests);
    const [fired = Number.POSITIVE_INFINITY, ...again] = fleet.deployed.alarmed('Fleet/StalledAlarm');
    expect(fired - from).toBeLessThanOrEqual(QUARTER_SECONDS);
    expect([again, fleet.deployed.alarmed('Fleet/EndpointsFailingAlarm')]).toEqual([[], []]);
    expect(ledger).toMatchObject({ due: HOURS * 60, delivered: HOURS * 60, dead: {}, parked: 0, queued: 0, lost: 0 });
  });
});
