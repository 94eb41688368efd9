import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CfnResource } from 'aws-cdk-lib';
import type { Io } from '../../../bin/shared/io';
import { playRentalDay, type RentalStory } from '../../../bin/story/rental-day';
import { showRentalDay } from '../../../bin/story/story-console';
import { storyText } from '../../../bin/story/story-text';
import { RentalOrdersStack } from '../../../examples/rental';
import { eventDocument, LocalAws, type TracedAwsEvent } from '../../../local';
import { assemblyOf, assemblyOfStack, editTemplate } from '../../support/assembly';

const DLO = path.resolve(__dirname, '../../../dist/bin/dlo.js');

/** Runs the built command. */
function dlo(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [DLO, 'story', 'rental', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const DAY = '2026-01-05T00:00:00Z';

function rentalAssembly(): string {
  return assemblyOf(app => {
    const [opsEmail, billingEndpoint] = ['ops@example.com', 'https://billing.example.com/invoices'];
    new RentalOrdersStack(app, 'RentalOrders', { rentalOrders: { opsEmail, billingEndpoint, systems: true } });
  });
}

interface Played {
  readonly story: RentalStory;
  readonly trace: string;
  readonly events: readonly TracedAwsEvent[];
}

async function play(assembly: string, seed: string): Promise<Played> {
  const aws = await LocalAws.deploy(assembly, { seed, startAt: DAY, standIns: 'warn' });
  try {
    const story = await playRentalDay(aws, () => {});
    const { events } = aws.trace;
    return { story, events, trace: createHash('sha256').update(aws.trace.toJsonLines()).digest('hex') };
  } finally {
    await aws.close();
  }
}

const at = (time: string): number => Date.parse(`2026-01-05T${time}:00Z`);

const between = (events: readonly TracedAwsEvent[], from: string, until: string) =>
  events.filter(({ atMs }) => at(from) <= atMs && atMs < at(until));

describe('the rental story', () => {
  const assembly = rentalAssembly();
  let played: Played;

  beforeAll(async () => {
    played = await play(assembly, '1');
  });

  test('loses nothing, and accounts for every order', () => {
    const { story } = played;
    expect([story.lost, story.unaccounted]).toEqual([0, 0]);
    expect(story.ordersTaken).toBeGreaterThan(300);
    expect(story.ledger.map(({ endpoint }) => endpoint.split(':').at(-1))).toEqual([
      'Rental-Fulfilment',
      'Rental-Billing',
    ]);
    for (const { published, delivered, deadLettered, filteredOut, lost, underWay } of story.ledger) {
      const kept = Object.values(deadLettered).reduce((sum, count) => sum + count, 0);
      expect(published).toBe(story.ordersTaken);
      expect([lost, underWay]).toEqual([0, 0]);
      expect(delivered + kept + filteredOut).toBe(published);
      expect(filteredOut).toBeGreaterThan(0);
    }
  });

  test('while the queue policy is away nothing is retried, and all of it goes to the fan-out dead-letter queue', () => {
    const meanwhile = between(played.events, '08:00', '08:30');
    const dead = meanwhile.filter(it => it.type === 'sns.dead-lettered');
    expect(dead.length).toBeGreaterThan(3);
    expect(dead.every(({ attempts, cause }) => attempts === 1 && cause.kind === 'client-error')).toBe(true);
    expect(meanwhile.filter(it => it.type === 'sns.attempt' && it.outcome === 'retry')).toEqual([]);
  });

  test('an order that cannot be billed is tried three times, a minute and then two apart, before it is a dead letter', () => {
    const meanwhile = between(played.events, '10:00', '12:50');
    const [dead] = meanwhile.filter(it => it.type === 'lambda.dead-lettered');
    const failures = meanwhile.filter(it => it.type === 'lambda.finished' && it.requestId === dead?.requestId);
    const [first = 0, ...later] = failures.map(({ atMs }) => atMs);
    expect(later.map(atMs => (atMs - first) / 1_000)).toEqual([60, 180]);
    expect(dead).toMatchObject({ attempts: 3, condition: 'RetriesExhausted' });
  });

  test('poison orders end in the queue’s dead-letter queue, which NumberOfMessagesSent does not count', () => {
    const { missedAlarm, alarms } = played.story;
    expect(missedAlarm.deadLetters).toBeGreaterThan(3);
    expect(missedAlarm.messagesSent).toBe(0);
    const [queue] = played.story.ledger;
    expect(played.story.fulfilled).toBe(queue?.delivered);
    expect(alarms.map(({ alarm }) => alarm)).toContain('Rental-Fulfilment-DLQ-Growth');
  });

  test('while SQS fails, every message is retried and none is dead-lettered; all arrive once it is back', () => {
    const meanwhile = between(played.events, '17:00', '17:25');
    expect(meanwhile.some(it => it.type === 'sns.attempt' && it.outcome === 'retry')).toBe(true);
    expect(meanwhile.filter(it => it.type === 'sns.dead-lettered')).toEqual([]);
    const late = meanwhile.filter(it => it.type === 'sns.delivered' && it.protocol === 'sqs' && it.attempts > 1);
    expect(late.length).toBeGreaterThan(1);
    expect(late.every(({ atMs }) => atMs >= at('17:20'))).toBe(true);
  });

  test('tells the cause of each dead letter, and where it read it', () => {
    const causes = new Map(played.story.causes.map(({ queue, cause, source }) => [queue, { cause, source }]));
    expect(causes.get('Rental-Fulfilment-Fanout-DLQ')).toEqual({
      cause: expect.stringMatching(/^403 from Rental-Fulfilment, 1 attempt: AccessDenied: /),
      source: 'log group sns/us-east-1/123456789012/Rental-Orders/Failure',
    });
    expect(causes.get('Rental-Billing-DLQ')?.cause).toContain('answered 503');
    expect(causes.get('Rental-Fulfilment-DLQ')?.cause).toContain('hovercraft');
    const kept = played.story.ledger.flatMap(({ deadLettered }) => Object.values(deadLettered));
    const explained = played.story.causes.map(({ count }) => count);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    expect(sum(explained)).toBe(sum(kept));
  });

  test('tells the people in charge by e-mail, once for each action of an alarm', () => {
    const actions = played.events.filter(it => it.type === 'cloudwatch.action-executed');
    expect(actions.length).toBeGreaterThanOrEqual(3);
    expect(played.story.mailbox).toEqual({ address: 'ops@example.com', messages: actions.length });
    expect(played.events.filter(it => it.type === 'cloudwatch.action-failed')).toEqual([]);
  });

  test('is the same as built, on a fresh assembly: the same bytes for the same seed', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'dlo-story-'));
    const trace = path.join(folder, 'trace.jsonl');
    const { status, stdout, stderr } = dlo('--json', '--seed', '1', '--trace', trace);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      seed: '1',
      from: '2026-01-05T00:00:00.000Z',
      ledger: [
        { subscriber: 'Rental-Fulfilment', lost: 0, underWay: 0 },
        { subscriber: 'Rental-Billing', lost: 0, underWay: 0 },
      ],
      lost: 0,
      unaccounted: 0,
    });
    expect(createHash('sha256').update(readFileSync(trace)).digest('hex')).toBe(played.trace);
    rmSync(folder, { recursive: true });
  });

  test('is the same day in the console, which goes back in it', async () => {
    let interrupt = (): void => {};
    const interrupted = new Promise<void>(resolve => {
      interrupt = resolve;
    });
    const stderr = { write: () => {}, isTTY: false };
    let shown = Promise.resolve();
    const url = await new Promise<string>((resolve, reject) => {
      const write = (text: string): void => {
        const [found] = /http:[^/]*\/\/[^/]+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      };
      const io = { stdout: { ...stderr, write }, stderr, interrupted: () => interrupted } as unknown as Io;
      const settings = { seed: '1', startAt: DAY, standIns: 'warn' } as const;
      shown = showRentalDay(assembly, settings, { port: 0, allowHost: [] }, io);
      shown.catch(reject);
    });
    const call = async (method: string, route: string, body?: object) => {
      const answer = await fetch(`${url}/_dlo/${route}`, { method, ...(body && { body: JSON.stringify(body) }) });
      return JSON.parse(await answer.text());
    };
    try {
      await call('PUT', 'speed', { speed: 0 });
      await call('POST', 'advance', { seconds: 3 * 3_600 });
      const untilMs = at('08:10');
      await call('POST', 'restore', { until: new Date(untilMs).toISOString() });
      const { events } = await call('GET', 'trace');
      const expected = played.events.filter(({ atMs }) => atMs <= untilMs).map(it => eventDocument(it));
      expect(events).toEqual(JSON.parse(JSON.stringify(expected)));
    } finally {
      interrupt();
      await shown;
    }
  });

  test('says so when something is lost: a dead-letter queue that SNS may not send to', async () => {
    const sabotaged = rentalAssembly();
    editTemplate(sabotaged, 'RentalOrders', ({ Resources }) => {
      const isItsPolicy = ([id, { Type }]: [string, { Type: string }]) =>
        Type === 'AWS::SQS::QueuePolicy' && id.includes('FulfilmentFanout');
      for (const [, { Properties }] of Object.entries(Resources).filter(isItsPolicy)) {
        const document = Properties?.['PolicyDocument'] as { Statement: { Effect: string }[] };
        document.Statement = document.Statement.filter(({ Effect }) => Effect !== 'Allow');
      }
    });
    const { story } = await play(sabotaged, '1');
    expect(story.lost).toBeGreaterThan(3);
    expect(storyText(story, '1')).toContain(`${story.lost} messages were lost`);
  });
});

describe('dlo story rental, as built', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-story-'));
  const inFolder = (name: string): string => path.join(folder, name);

  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['there is no assembly', () => inFolder('nowhere'), /there is no cloud assembly at .*nowhere/],
    [
      'the manifest is corrupt',
      () => {
        mkdirSync(inFolder('corrupt'));
        writeFileSync(inFolder('corrupt/manifest.json'), '{"version": ');
        return inFolder('corrupt');
      },
      /manifest\.json/,
    ],
    [
      'it is another stack',
      () =>
        assemblyOfStack(stack => {
          new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue' });
        }),
      /needs an assembly of RentalOrders/,
    ],
    [
      'a resource lacks a property',
      () =>
        assemblyOfStack(stack => {
          new CfnResource(stack, 'Table', { type: 'AWS::Glue::Table' });
        }),
      /Table.*AWS::Glue::Table/,
    ],
    [
      'an intrinsic is not known',
      () => {
        const assembly = assemblyOfStack(stack => {
          new CfnResource(stack, 'Queue', { type: 'AWS::SQS::Queue', properties: { QueueName: 'q' } });
        });
        editTemplate(assembly, 'Test', ({ Resources }) => {
          const { Properties = {} } = Resources['Queue'] ?? {};
          Properties['QueueName'] = { 'Fn::Guess': 'a name' };
        });
        return assembly;
      },
      /Queue.*Fn::Guess/,
    ],
  ])('ends with 2 and one clear message when %s', (_, assembly, message) => {
    const { status, stdout, stderr } = dlo('--assembly', assembly());
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('ends with 2 on an option it does not have', () => {
    expect(dlo('--sed', '1')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^dlo: unknown option '--sed'/),
    });
  });

  test('says before it plays that a trace cannot be written', () => {
    const { status, stdout, stderr } = dlo('--trace', inFolder('no/such/trace.jsonl'));
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^dlo: .*trace\.jsonl: no such file or folder\n$/);
  });

  test('leaves an older trace alone when the input is bad', () => {
    const trace = inFolder('older.jsonl');
    writeFileSync(trace, 'of yesterday');
    expect(dlo('--assembly', inFolder('nowhere'), '--trace', trace).status).toBe(2);
    expect(readFileSync(trace, 'utf8')).toBe('of yesterday');
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const temporary = inFolder('temporary');
    mkdirSync(temporary);
    const child = spawn(process.execPath, [DLO, 'story', 'rental'], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const watcher = watch(temporary);
    try {
      await Promise.race([once(watcher, 'change'), ended]);
      expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^dlo-rental-/)]);
      child.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      watcher.close();
      child.kill('SIGKILL');
    }
  });
});
