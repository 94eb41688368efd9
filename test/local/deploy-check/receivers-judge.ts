import { LocalAws, StackFailed } from '../../../local';

/** What each receiver got: a queue's consumer, or the function of a queue or a topic; and what is in dead-letter queues. */
type Got = ReadonlyMap<string, ReadonlySet<string>>;

const INTERVAL_SECONDS = 3;
const CONSUMER_SECONDS = 30;
const SENDS_BEFORE = 40;
const SENDS_AFTER = 60;
const HANDLER_MS = 1_500;
const DEAD = 'dead letters';
const FAILING = 'what fails of ';

/** Messages differ in what filters look at. Some make every handler fail. */
function messageAt(number: number) {
  const [kind, size] = [['a', 'b', 'c', 'bb'][number % 4] ?? '', [10, 50, 90][number % 3] ?? 0];
  const token = `judged-${number}-${number % 11 === 5 ? 'poison' : 'message'}`;
  return { body: { token, kind, size }, kind, size };
}

const tokensIn = (text: string): readonly string[] => text.match(/judged-\d+-(?:poison|message)/g) ?? [];

/** Plays messages of its own, which know nothing of the check, and looks at what receivers got. */
class Play {
  readonly got = new Map<string, Set<string>>();
  readonly published = new Set<string>();
  /** Runs of schedules that each receiver got. */
  readonly runs = new Map<string, number>();
  private sent = 0;
  private rounds = 0;
  private isOver = false;

  /** @param consumed the queues that have a consumer which is not part of the stacks */
  constructor(
    private readonly aws: LocalAws,
    private readonly consumed: readonly string[],
  ) {}

  tick(): void {
    if (this.isOver) {
      this.tickOfConsumers();
      return;
    }
    this.takeOver();
    if (this.sent % (CONSUMER_SECONDS / INTERVAL_SECONDS) === 4) this.consume();
    this.publish();
    this.sent += 1;
    this.aws.timeline.after(INTERVAL_SECONDS * 1000, () => this.tick());
  }

  private tickOfConsumers(): void {
    this.consume();
    this.rounds += 1;
    if (this.rounds < 100) this.aws.timeline.after(CONSUMER_SECONDS * 1000, () => this.tickOfConsumers());
  }

  private consume(): void {
    for (const id of this.consumed) {
      const ref = this.resource(id)?.ref;
      if (ref !== undefined && this.aws.state().queues.some(({ url }) => url === ref)) this.note(id, this.drained(ref));
    }
  }

  /** A dead letter of earlier, in each dead-letter queue. */
  begin(): void {
    for (const [id, { ref }] of this.aws.stacks[0]?.resources ?? []) {
      if (!/Dlq$/.test(id)) continue;
      const token = `judged-${this.published.size + 1_000}-message`;
      this.aws.send(ref, { token });
      this.published.add(token);
    }
    this.tick();
  }

  stop(): void {
    this.isOver = true;
  }

  private publish(): void {
    const { body, kind, size } = messageAt(this.sent);
    const { sns } = this.aws.services.at(this.resource('Topic')?.ref);
    const TopicArn = this.resource('Topic')?.ref;
    sns.call('Publish', sns.owner, {
      TopicArn,
      Message: JSON.stringify(body),
      MessageAttributes: {
        kind: { DataType: 'String', StringValue: kind },
        size: { DataType: 'Number', StringValue: String(size) },
      },
    });
    this.published.add(body.token);
  }

  /** A function is named `A-worker`, or `Test-AWorker-` and something random. */
  private takeOver(): void {
    for (const { name, arn } of this.aws.state().functions) {
      const [, id = '', kind = ''] = /^(?:Test-)?([A-Z][a-z]*?)-?(Worker|worker|Direct)/.exec(name) ?? [];
      this.aws.function(arn).handle(async (event, { sleep }) => {
        await sleep(HANDLER_MS);
        const text = JSON.stringify(event);
        if (text.includes('poison')) throw new Error('a message that no version can process');
        this.note(kind === 'Direct' ? `${id}Direct` : id, [{ body: text }]);
      });
    }
  }

  /** Nobody can read messages that a deleted key encrypted. */
  private drained(ref: string) {
    try {
      return this.aws.drain(ref);
    } catch (error) {
      if (error instanceof Error && error.name === 'AwsError') return [];
      throw error;
    }
  }

  private resource(id: string) {
    return this.aws.stacks[0]?.resources.get(id);
  }

  private note(receiver: string, messages: readonly { readonly body: string }[]): void {
    const got = this.got.get(receiver) ?? new Set();
    this.got.set(receiver, got);
    for (const { body } of messages) {
      for (const token of tokensIn(body)) got.add(token);
      const runs = body.match(/scheduled/g)?.length ?? 0;
      this.runs.set(receiver, (this.runs.get(receiver) ?? 0) + runs);
    }
  }

  /** Dead letters are those in the dead-letter queues of the stack, not of a queue that it left behind. */
  lookAtDeadLetters(): void {
    for (const [id, { ref }] of this.aws.stacks[0]?.resources ?? []) {
      if (/Dlq$/.test(id)) this.note(DEAD, this.drained(ref));
    }
  }

  /** Lets each delivery fail, and notes the messages that are in dead-letter queues then. */
  async fail(): Promise<void> {
    for (const [id, { ref, type }] of this.aws.stacks[0]?.resources ?? []) {
      const { sqs, lambda } = this.aws.whole.home;
      if (type === 'AWS::Lambda::Function' && /Direct$/.test(id)) {
        lambda.call('DeleteFunction', lambda.owner, { FunctionName: ref });
      } else if (type === 'AWS::SQS::Queue' && !/Dlq$/.test(id)) {
        // A queue whose policy denies it to everyone stays, and takes no message.
        this.unless(() => sqs.call('DeleteQueue', sqs.owner, { QueueUrl: ref }));
      }
    }
    // A queue that is being deleted may take messages for a minute.
    await this.aws.advance({ minutes: 2 });
    // The same messages in each play, however long the update took.
    this.sent = 2_000;
    for (let i = 0; i < 12; i += 1) {
      this.publish();
      this.sent += 1;
    }
    await this.aws.advance({ minutes: 25 });
    for (const [id, { ref }] of this.aws.stacks[0]?.resources ?? []) {
      if (/[a-z]Dlq$/.test(id)) this.note(FAILING + id, this.drained(ref));
    }
  }

  private unless(act: () => unknown): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AwsError')) throw error;
    }
  }
}

async function played(before: string, after: string | undefined, consumed: readonly string[]) {
  const aws = await LocalAws.deploy(before, { seed: 'judge' });
  try {
    const play = new Play(aws, consumed);
    play.begin();
    await aws.advance({ seconds: SENDS_BEFORE * INTERVAL_SECONDS });
    const fails = after !== undefined && (await hasFailed(aws, after));
    await aws.advance({ seconds: SENDS_AFTER * INTERVAL_SECONDS });
    play.stop();
    await aws.advance({ minutes: 40 });
    play.lookAtDeadLetters();
    await play.fail();
    return { got: play.got as Got, runs: play.runs, published: play.published, fails };
  } finally {
    await aws.close();
  }
}

async function hasFailed(aws: LocalAws, after: string): Promise<boolean> {
  try {
    await aws.update(after);
    return false;
  } catch (error) {
    if (error instanceof StackFailed) return true;
    throw error;
  }
}

/**
 * Whether a deployment does harm: the update fails, or a receiver does not get a message, or a run of a schedule, that it gets without the
 * update, or a message that no handler can process or no receiver takes is in no dead-letter queue any more. It says what.
 */
export async function harmOf(before: string, after: string, consumed: readonly string[]): Promise<readonly string[]> {
  const [old, updated] = [await played(before, undefined, consumed), await played(before, after, consumed)];
  if (updated.fails) return ['the update fails'];
  const everywhere = new Set([...updated.got.values()].flatMap(tokens => [...tokens]));
  const rarer = [...old.runs].flatMap(([receiver, runs]) => {
    const now = updated.runs.get(receiver) ?? 0;
    return receiver !== DEAD && ((runs > 0 && now === 0) || now < runs - 1)
      ? [`${receiver} gets ${now} runs, not ${runs}`]
      : [];
  });
  const missing = [...old.got].flatMap(([receiver, tokens]) => {
    const now = receiver === DEAD ? everywhere : (updated.got.get(receiver) ?? new Set());
    const counts = (token: string) => receiver === DEAD || !token.includes('poison');
    const missing = [...tokens].filter(it => updated.published.has(it) && counts(it) && !now.has(it));
    return missing.length === 0 ? [] : [`${receiver} misses ${missing.length}: ${missing.slice(0, 4).join(', ')}`];
  });
  return [...missing, ...rarer];
}
