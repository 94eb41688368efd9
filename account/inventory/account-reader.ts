import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Progress } from '../../bin/progress';
import { isNotFound } from '../../mover/aws-calls';
import { parseArn } from '../../policy/arn';
import { andMore, counted } from '../../policy/format-text';
import { isObject } from '../../policy/json-members';
import type { PolicyDocument } from '../../template/access/policy-document';
import type { MaybeKnown } from '../../template/maybe-known';
import { isDenied, mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';

/** How many calls of a service are under way at once. Our choice: more would be throttled, for AWS lets some calls be made 15 times a second. */
const MOST_AT_ONCE = 8;

/** So many refusals, and no answer, tell that the whole is refused: nobody need wait for the rest. Our choice. */
const ENOUGH_REFUSALS = 8;

/** As many names as a line holds. Our choice. */
const MOST_NAMES = 5;

/** Something that is asked of each of some resources. */
export interface Question {
  /** As IAM names it: `sns:GetTopicAttributes`. */
  readonly action: string;
  /** Of what, one and several of them: `topic`, `topics`. */
  readonly of: readonly [one: string, many: string];
  /** What it tells: `the attributes`. */
  readonly tells: string;
  /** Whether it is enough to say so where nothing of it may be read. @default false: then it is an error */
  readonly isDispensable?: boolean;
}

interface Answers {
  readonly question: Question;
  answered: number;
  /** Names of resources. */
  readonly refused: Set<string>;
  firstError: unknown;
}

/** IAM says it in other words than all others. */
const NO_SUCH_ENTITY = 'NoSuchEntity';

/** Whether AWS says of something that there is none. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof Error && error.name.startsWith(NO_SUCH_ENTITY));
}

/** What a call answers; undefined where what it is about is not there. */
export async function unlessGone<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

function unseenText({ question, refused }: Answers): string {
  const { of, tells, action } = question;
  return (
    `${tells} of ${counted(refused.size, ...of)} cannot be read, and what hangs on it is not judged; ` +
    `it takes ${action}: ${andMore([...refused], MOST_NAMES)}`
  );
}

/** Reads an account, and remembers what it was not let see. */
export class AccountReader {
  private readonly asked = new Map<string, Answers>();
  private readonly noted: string[] = [];
  private done = 0;

  /** @param progress is told how much has been read */
  constructor(
    readonly aws: Connection,
    private readonly progress?: Pick<Progress, 'at'>,
  ) {}

  /** What could not be read, in sentences. */
  get unseen(): readonly string[] {
    const refused = [...this.asked.values()].filter(it => it.refused.size > 0);
    return [...this.noted, ...refused.map(unseenText)];
  }

  /** Takes note of what could not be read for another reason than a permission, in a sentence. */
  note(sentence: string): void {
    this.noted.push(sentence);
  }

  /** Reads each of some things, a few at once. What is deleted meanwhile is left out. */
  async each<Item, Facts>(items: readonly Item[], read: (item: Item) => Promise<Facts>): Promise<readonly Facts[]> {
    const found = await mapAtMost(MOST_AT_ONCE, items, async item => {
      const facts = await unlessGone(async () => ({ facts: await read(item) }));
      this.done += 1;
      this.progress?.at(this.done);
      return facts;
    });
    return found.flatMap(it => (it ? [it.facts] : []));
  }

  /**
   * Asks something of one resource. Where AWS refuses it is untold.
   *
   * @param name of the resource
   * @throws what AWS refuses with, where it refuses whatever is asked so, and it cannot be done without
   */
  async ask<T>(question: Question, name: string, call: () => Promise<T>): Promise<MaybeKnown<T>> {
    const answers = this.answersOf(question);
    try {
      const answer = await call();
      answers.answered += 1;
      return answer;
    } catch (error) {
      if (!isDenied(error)) throw error;
      answers.refused.add(name);
      answers.firstError ??= error;
      if (answers.refused.size >= ENOUGH_REFUSALS) this.checkAnswered(answers);
      return { unknownBecause: `takes the permission ${question.action} to be read` };
    }
  }

  /** @throws what AWS refused with, where it refused whatever was asked so, and it cannot be done without */
  checkAll(): void {
    for (const answers of this.asked.values()) this.checkAnswered(answers);
  }

  private checkAnswered({ question, answered, firstError }: Answers): void {
    if (answered === 0 && firstError !== undefined && !question.isDispensable) throw firstError;
  }

  private answersOf(question: Question): Answers {
    const known = this.asked.get(question.action);
    if (known) return known;
    const answers: Answers = { question, answered: 0, refused: new Set(), firstError: undefined };
    this.asked.set(question.action, answers);
    return answers;
  }
}

/** Which account and Region credentials work in. */
export interface AccountPlace {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/**
 * Whose the credentials are. It takes no permission: AWS tells everybody who they are.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 */
export async function accountPlace(aws: Connection): Promise<AccountPlace> {
  const { Account: account = '', Arn = '' } = await aws.client(STSClient).send(new GetCallerIdentityCommand({}));
  return { partition: parseArn(Arn)?.partition ?? 'aws', region: aws.region, account };
}

/** What a text is the JSON of. Where there is no text, undefined. */
export function jsonOf(text: string | undefined): MaybeKnown<unknown> {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { unknownBecause: 'is not JSON' };
  }
}

/** The policy a text is. Where there is no text, undefined. */
export function policyOf(text: string | undefined): MaybeKnown<PolicyDocument | undefined> {
  const value = jsonOf(text);
  if (value === undefined) return undefined;
  return isObject(value) && 'Statement' in value
    ? { ...value, Statement: value['Statement'] }
    : { unknownBecause: 'is not a policy' };
}

/** Undefined for a text that says nothing. */
export function unlessEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
