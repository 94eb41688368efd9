import type { StateValue } from '@aws-sdk/client-cloudwatch';
import { type Alarm, Metric } from './alarm';
import { embeddedRow, Target } from './target';

type Cell = StateValue | 'retain';
/** The newest period on the right; `0` within the threshold, `X` beyond it, `-` missing. */
type Row = readonly [signs: string, fill: number, missing: Cell, ignore: Cell, breaching: Cell, notBreaching: Cell];

const THREE_OF_THREE: readonly Row[] = [
  ['0 - X - X', 0, 'OK', 'OK', 'OK', 'OK'],
  ['0 - - - -', 2, 'OK', 'OK', 'OK', 'OK'],
  ['- - - - -', 3, 'INSUFFICIENT_DATA', 'retain', 'ALARM', 'OK'],
  ['0 X X - X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['- - X - -', 2, 'ALARM', 'retain', 'ALARM', 'OK'],
];

const TWO_OF_THREE: readonly Row[] = [
  ['0 - X - X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 0 X 0 X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 - X - -', 1, 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - - 0', 2, 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - X -', 2, 'ALARM', 'retain', 'ALARM', 'OK'],
];

const TREATMENTS = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
const STATES: readonly StateValue[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

/** An alarm of so many out of three, in a state to begin with. */
async function alarmIn(state: StateValue, metric: Metric, DatapointsToAlarm: number, TreatMissingData?: string) {
  const alarm = await metric.alarm({ EvaluationPeriods: 3, DatapointsToAlarm, TreatMissingData });
  if (state !== 'INSUFFICIENT_DATA') await alarm.set(state);
  return alarm;
}

const statesOf = (alarms: readonly Alarm[]) => Promise.all(alarms.map(alarm => alarm.state()));

describe.each([
  [3, THREE_OF_THREE],
  [2, TWO_OF_THREE],
] as const)('section 10: alarms of %i out of 3', (datapointsToAlarm, table) => {
  const aws = new Target();

  describe.each(table)('that see %s, with %i to fill in', (signs, fill, ...cells) => {
    embeddedRow.each(TREATMENTS.map((treatment, i) => [treatment, cells[i]] as const))(
      'and treat missing data as %s: %s',
      async (treatment, cell) => {
        const metric = new Metric(aws);
        const alarms: Alarm[] = [];
        for (const state of STATES) alarms.push(await alarmIn(state, metric, datapointsToAlarm, treatment));
        await metric.reportAll(signs);
        await aws.pass(60);
        expect(await statesOf(alarms)).toEqual(cell === 'retain' ? STATES : STATES.map(() => cell));
      },
    );

    embeddedRow('and say how many they filled in', async () => {
      const metric = new Metric(aws);
      const alarm = await metric.alarm({
        EvaluationPeriods: 3,
        DatapointsToAlarm: datapointsToAlarm,
        TreatMissingData: 'breaching',
      });
      await metric.reportAll(signs);
      await aws.pass(60);
      const { StateReason = '' } = await alarm.described();
      const [, filled = '0'] =
        / and (\d) missing datapoints? (?:was|were) treated as \[Breaching\]/.exec(StateReason) ?? [];
      expect(`${filled}: ${StateReason}`).toMatch(new RegExp(`^${fill}: Threshold Crossed: `));
    });
  });
});

describe('section 10: the rule against premature alarms', () => {
  const aws = new Target();

  embeddedRow.each(['- - - - X', '- - - X -'])('three out of three do not alarm at %s', async signs => {
    const metric = new Metric(aws);
    const alarms: Alarm[] = [];
    for (const state of ['OK', 'INSUFFICIENT_DATA'] as const) {
      alarms.push(await alarmIn(state, metric, 3, 'missing'));
    }
    await metric.reportAll(signs);
    await aws.pass(60);
    expect(await statesOf(alarms)).not.toContain('ALARM');
  });

  embeddedRow('they do a minute later, when that one is old enough', async () => {
    const metric = new Metric(aws);
    const alarm = await alarmIn('OK', metric, 3, 'missing');
    await metric.reportAll('- - - X -');
    await aws.pass(60);
    expect(await alarm.state()).toBe('OK');
    await aws.pass(60);
    expect(await alarm.state()).toBe('ALARM');
  });
});

describe('section 10: an alarm of one out of three looks at', () => {
  const aws = new Target();

  embeddedRow.each([
    ['the newest three when none is missing', 'X X 0 0 0', 'OK'],
    ['the newest three that are there when some are missing', 'X 0 - 0 0', 'OK'],
    ['all that are there, and as many filled in, when there are fewer', 'X - - - 0', 'ALARM'],
    ['five periods, and no sixth', 'X - - - - 0', 'OK'],
  ])('%s: %s', async (_, signs, state) => {
    const metric = new Metric(aws);
    const alarm = await metric.alarm({ EvaluationPeriods: 3, DatapointsToAlarm: 1, TreatMissingData: 'notBreaching' });
    await metric.reportAll(signs);
    await aws.pass(60);
    expect(await alarm.state()).toBe(state);
  });

  embeddedRow('twelve periods when it asks for nine, and no thirteenth: our choice', async () => {
    const metric = new Metric(aws);
    await metric.report(1, 11);
    const alarm = await metric.alarm({ EvaluationPeriods: 9, DatapointsToAlarm: 1, TreatMissingData: 'notBreaching' });
    await aws.pass(60);
    expect(await alarm.state()).toBe('ALARM');
    await aws.pass(60);
    expect(await alarm.state()).toBe('OK');
  });
});
