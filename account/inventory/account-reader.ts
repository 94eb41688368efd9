import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { isNotFound } from '../../mover/aws/aws-calls';
import { parseArn } from '../../policy/arn';
import { andMore, counted } from '../../policy/format-text';
import { isObject } from '../../policy/json-members';
import type { PolicyDocument } from '../../template/access/policy-document';
import type { MaybeKnown } from '../../template/maybe-known';
import { isDenied, mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';
import type { ProgressListener } from '../ports';

/** How many calls run at the same time. More would be throttled: AWS allows some calls only 15 times a second. */
const PARALLEL_CALLS = 8;

/** After so many denials without any success, all such calls count as denied. */
const ENOUGH_DENIALS = 8;

/** How many names fit on a line. */
const MAX_NAMES = 5;

/** A call that is made for each of several resources. */
export interface Question {
  /** The IAM action: `sns:GetTopicAttributes`. */
  readonly action: string;
  /** The kind of resource, singular and plural: `topic`, `topics`. */
  readonly of: readonly [one: string, many: string];
  /** What the call reads, as messages name it: `the attributes`. */
  readonly tells: string;
  /** Whether to continue when all calls are denied. @default false - then it is an error */
  readonly isOptional?: boolean;
}

interface Answers {
  readonly question: Question;
  answered: number;
  /** Names of resources. */
  readonly refused: Set<string>;
  firstError: unknown;
}

/** IAM's error name differs from those of other services. */
const NO_SUCH_ENTITY = 'NoSuchEntity';

/** Whether AWS says that a resource does not exist. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || (error instanceof Error && error.name.startsWith(NO_SUCH_ENTITY));
}

/** Makes a call. @returns undefined when the resource does not exist */
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
    `${tells} of ${counted(refused.size, ...of)} cannot be read without ${action}, so what depends on it is not checked: ` +
    andMore([...refused], MAX_NAMES)
  );
}

/** Reads an account, and collects what it was denied. */
export class AccountReader {
  private readonly asked = new Map<string, Answers>();
  private readonly noted: string[] = [];
  private done = 0;

  /** @param progress receives how many resources have been read */
  constructor(
    readonly aws: Connection,
    private readonly progress?: ProgressListener,
  ) {}

  /** What could not be read, in sentences. */
  get unseen(): readonly string[] {
    const refused = [...this.asked.values()].filter(it => it.refused.size > 0);
    return [...this.noted, ...refused.map(unseenText)];
  }

  /** Adds a sentence about what could not be read for another reason than a permission. */
  note(sentence: string): void {
    this.noted.push(sentence);
  }

  /** Reads several resources, some in parallel. It leaves out resources that are deleted meanwhile. */
  async each<Item, Facts>(items: readonly Item[], read: (item: Item) => Promise<Facts>): Promise<readonly Facts[]> {
    const found = await mapAtMost(PARALLEL_CALLS, items, async item => {
      const facts = await unlessGone(async () => ({ facts: await read(item) }));
      this.done += 1;
      this.progress?.at(this.done);
      return facts;
    });
    return found.flatMap(it => (it ? [it.facts] : []));
  }

  /**
   * Makes a call for one resource. When AWS denies it, the result is unknown.
   *
   * @param name of the resource
   * @throws the denial, when all such calls are denied and the result is required
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
      if (answers.refused.size >= ENOUGH_DENIALS) this.checkAnswered(answers);
      return { unknownBecause: `cannot be read without the permission ${question.action}` };
    }
  }

  /** @throws the denial of a required call that was always denied */
  checkAll(): void {
    for (const answers of this.asked.values()) this.checkAnswered(answers);
  }

  private checkAnswered({ question, answered, firstError }: Answers): void {
    if (answered === 0 && firstError !== undefined && !question.isOptional) throw firstError;
  }

  private answersOf(question: Question): Answers {
    const known = this.asked.get(question.action);
    if (known) return known;
    const answers: Answers = { question, answered: 0, refused: new Set(), firstError: undefined };
    this.asked.set(question.action, answers);
    return answers;
  }
}

/** The account and Region of the credentials. */
export interface AccountPlace {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/**
 * Reads which account the credentials belong to. It needs no permission.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 */
export async function accountPlace(aws: Connection): Promise<AccountPlace> {
  const { Account: account = '', Arn = '' } = await aws.client(STSClient).send(new GetCallerIdentityCommand({}));
  return { partition: parseArn(Arn)?.partition ?? 'aws', region: aws.region, account };
}

/** Parses JSON. Undefined when there is no text. */
export function jsonOf(text: string | undefined): MaybeKnown<unknown> {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { unknownBecause: 'is not JSON' };
  }
}

/** Parses a policy document. Undefined when there is no text. */
export function policyOf(text: string | undefined): MaybeKnown<PolicyDocument | undefined> {
  const value = jsonOf(text);
  if (value === undefined) return undefined;
  return isObject(value) && 'Statement' in value
    ? { ...value, Statement: value['Statement'] }
    : { unknownBecause: 'is not a policy' };
}

/** Undefined for an empty text. */
export function unlessEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
