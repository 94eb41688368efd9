import { nameInArn } from '../arn';
import { type FedBy, hideLonger, visibilityFor } from '../fixes/give-time';
import { letRun, resumeMapping } from '../fixes/let-run';
import { feedersOf } from '../inventory/feeders';
import type { FunctionFacts, Inventory, MappingFacts, QueueFacts } from '../inventory/inventory';
import { functionOf, queueOf, unqualified } from '../inventory/look-ups';
import { toldOf } from '../inventory/told';
import { type FailureKind, failureKinds } from './consumer-failures';
import { type Death, type Diagnosis, deathOfLetter } from './death';
import type { Evidence, FunctionEvidence, MappingEvidence, SeenLetter } from './evidence';
import { diagnoseFunction } from './function-failure';

/** Whoever receives from a queue, and what is known of how it fares. */
interface Consumer {
  readonly sourceName: string;
  /** @default - it is not there any more */
  readonly queue?: QueueFacts;
  readonly isAccountKnown: boolean;
  readonly mapping?: MappingFacts;
  readonly state?: MappingEvidence;
  /** @default - it is not there any more, or nobody's mapping names one */
  readonly facts?: FunctionFacts;
  readonly functionName: string;
  readonly evidence?: FunctionEvidence;
  readonly kinds: readonly FailureKind[];
  /** Whether something else invokes the function as well. */
  readonly isShared: boolean;
}

/** What makes letters of a consumer, the first that applies. */
interface ConsumerRule {
  applies(consumer: Consumer): boolean;
  /** Whether it says why, and nobody told so. */
  isInferred(consumer: Consumer): boolean;
  code(consumer: Consumer): string;
  diagnose(consumer: Consumer): Diagnosis;
}

function fedBy({ mapping, queue }: Consumer): { readonly fedBy?: FedBy } {
  return mapping ? { fedBy: { queue, mapping } } : {};
}

/** Which of several failures a letter died of, nobody tells. */
function choiceOf({ kinds }: Consumer): Pick<Diagnosis, 'oneOf'> {
  if (kinds.length < 2) return {};
  return { oneOf: kinds.map(({ common: code, count: times, last }) => ({ code, times, lastAtMs: last.atMs })) };
}

function shortVisibility({
  queue,
  facts,
}: Consumer): { readonly hidden: number; readonly timeout: number } | undefined {
  const hidden = queue && toldOf(queue.visibilityTimeoutSeconds);
  const timeout = facts && toldOf(facts.timeoutSeconds);
  return hidden !== undefined && timeout !== undefined && hidden < timeout ? { hidden, timeout } : undefined;
}

/** Facts that bear on whatever happened. */
function bearings(consumer: Consumer): string[] {
  const { state, evidence, kinds, isShared } = consumer;
  const short = shortVisibility(consumer);
  const problem = state?.lastProcessingResult?.startsWith('PROBLEM');
  return [
    ...(kinds.length > 1 ? ['Which of them a letter died of, its log does not tell: mend all of them first.'] : []),
    ...(isShared && kinds.length > 0
      ? ['Others invoke it as well, and its log does not tell at whose events it failed.']
      : []),
    ...(evidence?.unread === undefined ? [] : [`Its log ${evidence.logGroupName} ${evidence.unread}.`]),
    ...(evidence?.throttles
      ? [`It was throttled ${evidence.throttles} times: each costs a message one of its receives.`]
      : []),
    ...(state && state.state !== 'Enabled' ? [`Its event source mapping is ${state.state} now.`] : []),
    ...(problem ? [`Lambda says of its mapping: ${state?.lastProcessingResult}`] : []),
    ...(short
      ? [`The queue hides a message for ${short.hidden} s, and the function may work at it for ${short.timeout} s.`]
      : []),
  ];
}

const atFault = ({ functionName, sourceName }: Consumer) => `The function ${functionName}, which reads ${sourceName},`;

function visibilityDiagnosis(consumer: Consumer): Diagnosis {
  const { queue, facts, sourceName } = consumer;
  const short = shortVisibility(consumer);
  const timeout = facts && toldOf(facts.timeoutSeconds);
  const call = hideLonger(queue, visibilityFor(timeout ?? 0, toldOf(consumer.mapping?.batchingWindowSeconds ?? 0)));
  return {
    says: `${sourceName} hands messages out again after ${short?.hidden} s, while the function may still work at them: it has ${short?.timeout} s.`,
    fix: {
      says: `Hide messages of ${sourceName} for six times the function's timeout, as AWS recommends.`,
      ...(call && { calls: [call] }),
    },
  };
}

const RULES: readonly ConsumerRule[] = [
  {
    applies: ({ kinds }) => kinds.length > 0,
    isInferred: ({ kinds, isShared, evidence }) => kinds.length > 1 || isShared || (evidence?.throttles ?? 0) > 0,
    code: ({ kinds }) => kinds[0]?.common ?? '',
    diagnose: consumer => {
      const { functionName: name, facts, kinds } = consumer;
      const error = kinds[0]?.last.error ?? '';
      return diagnoseFunction({ name, ...(facts && { facts }), statusCode: 200, error, ...fedBy(consumer) });
    },
  },
  {
    applies: ({ queue, isAccountKnown }) => !queue && isAccountKnown,
    isInferred: () => false,
    code: () => 'no source queue',
    diagnose: ({ sourceName }) => ({
      says: `They came from the queue ${sourceName}, which does not exist any more.`,
      fix: { says: `Deploy ${sourceName} anew, or send them elsewhere.` },
    }),
  },
  {
    applies: ({ mapping, isAccountKnown }) => !mapping && isAccountKnown,
    isInferred: () => false,
    code: () => 'no function reads it',
    diagnose: ({ sourceName }) => ({
      says: `No function reads ${sourceName}: whatever received them there and did not delete them runs elsewhere, and logs elsewhere.`,
      fix: {
        says: `Look at the log of what receives from ${sourceName}; it failed at each of them as often as maxReceiveCount allows.`,
      },
    }),
  },
  {
    applies: ({ mapping, facts, isAccountKnown }) => mapping !== undefined && !facts && isAccountKnown,
    isInferred: () => true,
    code: () => 'no function',
    diagnose: ({ sourceName, functionName }) => ({
      says: `The function ${functionName}, which is to read ${sourceName}, does not exist any more.`,
      fix: { says: 'Deploy it anew under the same name.' },
    }),
  },
  {
    applies: ({ evidence, facts }) =>
      (evidence?.throttles ?? 0) > 0 || (facts !== undefined && toldOf(facts.reservedConcurrency) === 0),
    isInferred: () => true,
    code: () => 'throttled',
    diagnose: consumer => ({
      says: `${atFault(consumer)} was throttled: what Lambda cannot run goes back to the queue, and has used up a receive.`,
      ...(consumer.facts && { fix: letRun(consumer.facts) }),
    }),
  },
  {
    applies: consumer => shortVisibility(consumer) !== undefined,
    isInferred: () => true,
    code: () => 'visibility shorter than the timeout',
    diagnose: visibilityDiagnosis,
  },
  {
    applies: ({ state }) => state !== undefined && state.state !== 'Enabled',
    isInferred: () => true,
    code: () => 'mapping disabled',
    diagnose: consumer => ({
      says: `${atFault(consumer)} does not: its event source mapping is ${consumer.state?.state}. Somebody else received them.`,
      ...(consumer.state && { fix: resumeMapping(consumer.state.uuid, consumer.state.functionArn) }),
    }),
  },
  {
    applies: () => true,
    isInferred: () => false,
    code: () => 'received too often',
    diagnose: consumer => ({
      says: `${consumer.sourceName} handed them out as often as it may, and nobody deleted them. Why, no log of the window tells.`,
      fix: { says: 'Look further back with --since, or have the consumer log what it fails at.' },
    }),
  },
];

/** Whether a function has events from elsewhere than a queue. */
function isInvokedBeside(
  functionArn: string,
  sourceArn: string,
  { mappings, subscriptions, targets }: Inventory,
): boolean {
  const others = [
    ...mappings.filter(it => toldOf(it.sourceArn) !== sourceArn).map(it => it.functionArn),
    ...subscriptions.map(it => it.endpoint),
    ...targets.map(it => it.targetArn),
  ];
  return others.some(it => unqualified(toldOf(it) ?? '') === functionArn);
}

/** @param isCovered whether the logs that were read are of the time in which the letters died */
function consumerOf(sourceArn: string, evidence: Evidence, isCovered: boolean): Consumer {
  const { inventory, mappings, functions } = evidence;
  const queue = queueOf(sourceArn, inventory);
  const mapping = inventory.mappings.find(it => toldOf(it.sourceArn) === sourceArn);
  const state = mappings.find(it => it.sourceArn === sourceArn);
  const named = (mapping && toldOf(mapping.functionArn)) ?? state?.functionArn;
  const functionArn = named === undefined ? undefined : unqualified(named);
  const facts = functionOf(functionArn, inventory);
  const own = isCovered ? functions.find(it => it.functionArn === functionArn) : undefined;
  return {
    sourceName: nameInArn(sourceArn),
    isAccountKnown: inventory.isWhole,
    functionName: functionArn === undefined ? '' : nameInArn(functionArn),
    kinds: failureKinds(own?.lines ?? []),
    isShared: functionArn !== undefined && isInvokedBeside(functionArn, sourceArn, inventory),
    ...(queue && { queue }),
    ...(mapping && { mapping }),
    ...(state && { state }),
    ...(facts && { facts }),
    ...(own && { evidence: own }),
  };
}

/** What is known of the consumer of each queue letters came from. */
export class Consumers {
  private readonly known = new Map<
    string,
    Pick<Death, 'key' | 'diagnose' | 'example'> & { readonly isInferred: boolean; readonly logged: Death[] }
  >();

  constructor(private readonly evidence: Evidence) {}

  /** What a letter says that SQS moved, for it was received too often. Not so of one that somebody else had sent there. */
  death(seen: SeenLetter): Death | undefined {
    const { movedFromArn } = seen.decoded.letter;
    if (movedFromArn === undefined || this.isDeadLetterQueue(movedFromArn)) return undefined;
    const { messageId, firstReceivedAtMs, sentAtMs } = seen.decoded.letter;
    const atMs = firstReceivedAtMs || sentAtMs;
    const { key, diagnose, isInferred, example } = this.of(movedFromArn, atMs >= this.evidence.fromMs);
    return deathOfLetter(seen, { key, diagnose, isInferred, atMs, example: { ...example, messageId } });
  }

  /** What the logs of consumers tell, those letters were seen of. */
  logged(): Death[] {
    return [...this.known.values()].flatMap(({ logged }) => logged);
  }

  /** Whose letters are what others had given up. */
  private isDeadLetterQueue(arn: string): boolean {
    return feedersOf(arn, this.evidence.inventory).length > 0;
  }

  private of(sourceArn: string, isCovered: boolean) {
    const name = `${sourceArn} ${isCovered}`;
    const known = this.known.get(name);
    if (known) return known;
    const consumer = consumerOf(sourceArn, this.evidence, isCovered);
    const made = this.learn(sourceArn, consumer);
    this.known.set(name, made);
    return made;
  }

  private learn(sourceArn: string, consumer: Consumer) {
    const { facts, queue, evidence, kinds } = consumer;
    const rule = RULES.find(({ applies }) => applies(consumer));
    const [kind] = kinds;
    const attempts = toldOf((queue && toldOf(queue.redrivePolicy))?.maxReceiveCount ?? { untold: '' });
    const key = {
      failed: 'consumer' as const,
      by: sourceArn,
      code: rule?.code(consumer) ?? '',
      destination: facts?.arn ?? sourceArn,
    };
    const diagnose = (): Diagnosis => ({
      says: '',
      ...rule?.diagnose(consumer),
      ...choiceOf(consumer),
      details: bearings(consumer),
    });
    const isInferred = rule?.isInferred(consumer) ?? false;
    const example = {
      messageId: kind?.last.requestId ?? '',
      answer: kind?.last.error ?? '',
      ...(attempts !== undefined && { attempts }),
      ...(kind && evidence && { log: { group: evidence.logGroupName, lines: [kind.last.line] } }),
    };
    const logged = kind
      ? [
          {
            key,
            diagnose,
            isInferred,
            example,
            firstAtMs: kind.firstAtMs,
            lastAtMs: kind.last.atMs,
            letters: 0,
            deliveries: kind.count,
          },
        ]
      : [];
    return { key, diagnose, isInferred, example, logged };
  }
}
