import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { InventoryPart } from '../../diagnosis/inventory/inventory';
import { parseArn } from '../../policy/arn';
import { isObject } from '../../policy/json-members';
import type { PolicyDocument } from '../../template/access/policy-document';
import { knownValue, type MaybeKnown, mapKnown } from '../../template/maybe-known';
import { mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';
import { isGone, type Question } from '../connection/unread-calls';
import type { ProgressListener } from '../ports';

/** How many calls run at the same time. Where AWS allows fewer, the connection slows down. */
const PARALLEL_CALLS = 32;

export interface InventoryQuestion extends Question {
  /** What the inventory may lack if the call fails. @default - only values of resources, which are unknown then */
  readonly hides?: readonly InventoryPart[];
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

/** Reads an account. What it cannot read is unknown, and collected in the connection. */
export class AccountReader {
  private readonly hidden = new Set<InventoryPart>();
  private done = 0;

  /** @param progress receives how many resources have been read */
  constructor(
    readonly aws: Connection,
    private readonly progress?: ProgressListener,
  ) {}

  /** What could not be read, in sentences. */
  get unseen(): readonly string[] {
    return this.aws.unread.texts;
  }

  /** What the inventory may lack, because calls failed. */
  get incomplete(): readonly InventoryPart[] {
    return [...this.hidden];
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

  /** Makes a call for one resource. The result is unknown if it fails. @param name of the resource */
  async ask<T>(question: InventoryQuestion, name: string, call: () => Promise<T>): Promise<MaybeKnown<T>> {
    const answer = await this.aws.unread.read(question, name, call);
    this.noteFailure(question);
    return answer;
  }

  /** Reads a list page by page. If a page cannot be read, it returns the pages before. */
  async list<T>(question: InventoryQuestion, pages: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
    const found = await this.aws.unread.list(question, pages);
    this.noteFailure(question);
    return found;
  }

  private noteFailure(question: InventoryQuestion): void {
    if (!this.aws.unread.hasFailed(question)) return;
    for (const part of question.hides ?? []) this.hidden.add(part);
  }
}

export async function* itemsOf<Page, Item>(
  pages: AsyncIterable<Page>,
  items: (page: Page) => readonly Item[] | undefined,
): AsyncIterable<readonly Item[]> {
  for await (const page of pages) yield items(page) ?? [];
}

export interface AccountPlace {
  /** `aws`, `aws-cn`, `aws-us-gov`. */
  readonly partition: string;
  readonly region: string;
  readonly account: MaybeKnown<string>;
}

const IDENTITY: Question = { action: 'sts:GetCallerIdentity', tells: 'the account of the credentials' };

function partitionOf(region: string): string {
  return /^(cn|us-gov)-/.test(region) ? `aws-${region.startsWith('cn') ? 'cn' : 'us-gov'}` : 'aws';
}

/**
 * Reads which account the credentials belong to. It needs no permission, but another implementation of AWS may not have it.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
 */
export async function accountPlace({ region, unread, client }: Connection): Promise<AccountPlace> {
  const identity = await unread.read(IDENTITY, undefined, () =>
    client(STSClient).send(new GetCallerIdentityCommand({})),
  );
  const partition = parseArn(knownValue(identity)?.Arn ?? '')?.partition ?? partitionOf(region);
  return { partition, region, account: mapKnown(identity, ({ Account = '' }) => Account) };
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
