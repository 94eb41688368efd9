import { readFileSync } from 'node:fs';
import path from 'node:path';
import { dollarText } from '../../bin/cost/cost-text';
import { PRICES } from '../../diagnosis/cost/price-list';
import { redriveRecord } from '../../lambda/redrive/record';
import { formatNumber } from '../../policy/format-text';
import { quarantineAttributes } from '../../policy/messages/reason-attributes';
import { REDRIVE_METRICS } from '../../policy/metric-names';
import { mostMovedUnseen } from '../../policy/redrive/budget';
import { planRedrive } from '../../policy/redrive/plan-redrive';
import type { RedriveFacts } from '../../policy/redrive/redrive-facts';
import { quietForMs } from '../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../policy/redrive/redrive-settings';
import { alarm, depth, FACTS, move, SETTINGS } from '../policy/redrive/fixtures';
import { type Look, timelineOf } from '../support/redrive-timeline';
import { ROOT } from './source-files';

const GUIDE = ['redrive', 'redrive-design']
  .map(it => readFileSync(path.join(ROOT, `docs/${it}.md`), 'utf8'))
  .join('\n');

describe('the guide to redriving', () => {
  test('names its metrics, and the attributes of a message in quarantine', () => {
    expect(GUIDE).toContain(`in \`${REDRIVE_METRICS.namespace}\`, by \`${REDRIVE_METRICS.dimension}\``);
    const facts = { cause: 'refused', reason: 'r', quarantinedAtMs: 0, sentAtMs: 0, sourceArn: 'a' } as const;
    const { attributes } = quarantineAttributes(facts, '', {});
    for (const name of Object.keys(attributes)) expect(GUIDE).toContain(`\`${name}\``);
  });

  test('names every cause for which a redrive does not start, or stops', () => {
    const source = readFileSync(path.join(ROOT, 'policy/redrive/redrive-decision.ts'), 'utf8');
    const [, union = ''] = /export type RedriveCause =([^;]*);/.exec(source) ?? [];
    const causes = [...union.matchAll(/'([a-z-]+)'/g)].map(([, cause = '']) => cause);
    expect(causes.length).toBeGreaterThan(20);
    for (const cause of causes) expect(GUIDE).toContain(`\`${cause}\``);
  });

  const ended = (looks: readonly Look[]) => looks.at(-1);

  test('describes what the planner does with 412 messages', () => {
    const moved = [...GUIDE.matchAll(/^\| (\d+) \| .* \| (\d+) \|$/gm)].map(([, minute, count]) =>
      [minute, count].map(Number),
    );
    const looks = timelineOf(412).map(look => [look.minute, look.moved]);
    expect(moved.filter(([minute]) => minute !== 8)).toEqual(looks);
    expect(timelineOf(412).map(({ did }) => did)).toEqual(['start 1', 'cancel step-done', 'start 10', 'finish']);
  });

  test('states the reserve that each rate needs', () => {
    const [one, ten, fifty, most] = [1, 10, 50, 500].map(rate => mostMovedUnseen(rate, 0, 60_000).toLocaleString('en'));
    expect(GUIDE.replaceAll('\n', ' ')).toContain(
      `${one} messages at 1 a second, ${ten} at 10, ${fifty} at 50 and ${most} at 500`,
    );
  });

  test('states how many of its own messages may wait, and which difference in a deep queue is noise, with the figures of the planner', () => {
    const settings: RedriveSettings = { ...SETTINGS, maxAgeSeconds: 60, steps: [{ messagesPerSecond: 50 }] };
    const moving = { status: 'RUNNING', messagesPerSecond: 50, startedAtMs: FACTS.nowMs - 360_000 } as const;
    const whyNot = (destination: RedriveFacts['destination']) => {
      const moves = [move({ ...moving, handle: 'ours', toMove: 90_000, moved: 600 })];
      return planRedrive({ ...settings, messagesPerDay: 500_000 }, { ...FACTS, moves, destination }).decision.reason;
    };
    const [, own = ''] = /in addition to (\d+) of/.exec(whyNot({ depth: depth(90_000) })) ?? [];
    const [, oldest = ''] =
      /where (\d+ min) is allowed/.exec(whyNot({ depth: depth(0), oldestAgeSeconds: 3_600 })) ?? [];
    const said = GUIDE.replaceAll('\n', ' ');
    expect(said).toContain(`${Number(own).toLocaleString('en')} messages, and each for ${oldest}`);
    const stopsAt = (returned: number) => {
      const facts = { ...FACTS, moves: [move({ toMove: 100_000 })], deadLetters: depth(99_940 + returned) };
      return planRedrive(SETTINGS, facts).run?.ending?.cause === 'returned';
    };
    const noise = Array.from({ length: 60 }, (_, returned) => returned)
      .filter(returned => !stopsAt(returned))
      .at(-1);
    expect(said).toContain(`of 100,000, ${noise}.`);
  });

  test('computes its budgets as the planner does', () => {
    const small = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 2 }];
    const rows = [...GUIDE.matchAll(/^\| ([\d,]+) \| ([\d,]+) \| (.*?) \| (.*) \|$/gm)];
    expect(rows).toHaveLength(6);
    for (const [, messages = '', messagesPerDay = '', steps = '', what = ''] of rows) {
      const number = (text: string) => Number(text.replaceAll(',', ''));
      const stated = { messagesPerDay: number(messagesPerDay), ...(!steps.includes('default') && { steps: small }) };
      const looks = timelineOf(number(messages), stated);
      const end = ended(looks);
      const cancelled = looks.find(({ did }) => did === 'cancel messages-spent');
      if (end?.did === 'finish') expect(what).toContain(`all in ${end.minute} minutes`);
      else if (cancelled) {
        expect(what).toContain(
          `cancelled at minute ${cancelled.minute}, with ${end?.moved.toLocaleString('en')} moved`,
        );
      } else expect(what).toContain(`after ${end?.moved} messages`);
    }
  });

  test('states what the metrics cost that a function reads which may copy or replay', () => {
    const settleMs = 3 * 60_000;
    const looks = (30 * 24 * 60 * 60_000) / quietForMs({ tickMs: 60_000, settleMs });
    const { dollars, per } = PRICES.metricRequest;
    expect(GUIDE).toContain(`${formatNumber(looks)} metrics, ${dollarText((looks * dollars) / per)} dollars more`);
  });

  test('shows a record as the function writes it', () => {
    const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(GUIDE) ?? [];
    const ORDERS = 'arn:aws:sqs:us-east-1:123456789012:Orders-OrdersQueue';
    const mappingId = '5402f46b-deef-4e6e-8a8c-eda6783a069f';
    const settings: RedriveSettings = {
      ...SETTINGS,
      destination: { kind: 'queue', arn: ORDERS, url: 'orders' },
      mappingIds: [mappingId],
      recoveryAlarms: ['Orders-ConsumerErrors'],
      healthAlarms: [],
    };
    const facts: RedriveFacts = {
      ...FACTS,
      nowMs: Date.UTC(2026, 0, 5, 9, 12),
      deadLetters: depth(349),
      destination: { depth: depth(0), deleted: 63 },
      alarms: [alarm('Orders-ConsumerErrors')],
      mappings: [{ id: mappingId, state: 'Enabled' }],
      moves: [move({ startedAtMs: Date.UTC(2026, 0, 5, 9, 5), moved: 63, toMove: 412, destinationArn: ORDERS })],
    };
    const plan = planRedrive(settings, facts);
    const done = { outcome: 'done', state: plan.state, isBegun: false } as const;
    const record = redriveRecord({ name: 'Orders/OrdersRedrive', facts, unread: [], plan, done });
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(record)));
  });
});
