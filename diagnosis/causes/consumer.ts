import { displayNameOf } from '../../policy/arn';
import { knownValue } from '../../template/told';
import type { FunctionFacts, Inventory, MappingFacts, QueueFacts } from '../inventory/inventory';
import { functionOf, queueOf, unqualified } from '../inventory/look-ups';
import { type FailureKind, failureKinds } from './consumer-failures';
import type { Evidence, FunctionEvidence, MappingEvidence } from './evidence';

/** Whoever receives from a queue, and what is known of how it fares. */
export interface Consumer {
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

/** Whether a function has events from elsewhere than a queue. */
function isInvokedBeside(
  functionArn: string,
  sourceArn: string,
  { mappings, subscriptions, targets }: Inventory,
): boolean {
  const others = [
    ...mappings.filter(it => knownValue(it.sourceArn) !== sourceArn).map(it => it.functionArn),
    ...subscriptions.map(it => it.endpoint),
    ...targets.map(it => it.targetArn),
  ];
  return others.some(it => unqualified(knownValue(it) ?? '') === functionArn);
}

/**
 * What is known of whoever receives from a queue.
 * @param isCovered whether the logs that were read are of the time in which the letters died
 */
export function consumerOf(sourceArn: string, evidence: Evidence, isCovered: boolean): Consumer {
  const { inventory, mappings, functions } = evidence;
  const queue = queueOf(sourceArn, inventory);
  const mapping = inventory.mappings.find(it => knownValue(it.sourceArn) === sourceArn);
  const state = mappings.find(it => it.sourceArn === sourceArn);
  const named = (mapping && knownValue(mapping.functionArn)) ?? state?.functionArn;
  const functionArn = named === undefined ? undefined : unqualified(named);
  const facts = functionOf(functionArn, inventory);
  const own = isCovered ? functions.find(it => it.functionArn === functionArn) : undefined;
  return {
    sourceName: displayNameOf(sourceArn),
    isAccountKnown: inventory.isComplete,
    functionName: functionArn === undefined ? '' : displayNameOf(functionArn),
    kinds: failureKinds(own?.lines ?? []),
    isShared: functionArn !== undefined && isInvokedBeside(functionArn, sourceArn, inventory),
    ...(queue && { queue }),
    ...(mapping && { mapping }),
    ...(state && { state }),
    ...(facts && { facts }),
    ...(own && { evidence: own }),
  };
}
