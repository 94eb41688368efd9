import type { PutEventsRequestEntry, PutEventsResultEntry } from '@aws-sdk/client-eventbridge';
import { isMembers, jsonOrUndefined, type Members } from '../kernel/json';
import { AWS_SOURCE } from './bus-event';

/** A problem of one entry, which the others do not share. */
type Refusal = PutEventsResultEntry & { readonly ErrorCode: string };

const TIME_BYTES = 14;

function bytes(text: string | undefined): number {
  return Buffer.byteLength(text ?? '');
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
export function entryBytes({ Time, Source, DetailType, Detail, Resources = [] }: PutEventsRequestEntry): number {
  const resources = Resources.reduce((sum, resource) => sum + bytes(resource), 0);
  return (Time ? TIME_BYTES : 0) + bytes(Source) + bytes(DetailType) + bytes(Detail) + resources;
}

function missing(name: string): Refusal {
  return {
    ErrorCode: 'InvalidArgument',
    ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
  };
}

/** What is wrong with an entry, or undefined when nothing is. */
export function entryProblem({ Source, DetailType, Detail }: PutEventsRequestEntry): Refusal | undefined {
  if (!Source) return missing('Source');
  if (!DetailType) return missing('DetailType');
  if (!Detail) return missing('Detail');
  if (Source.startsWith(AWS_SOURCE)) {
    return { ErrorCode: 'NotAuthorizedForSource', ErrorMessage: 'Not authorized for the source.' };
  }
  return undefined;
}

/** @returns undefined when the detail is no JSON object, or nested too deeply */
export function detailOf(text = ''): Members | undefined {
  const detail = jsonOrUndefined(text);
  return isMembers(detail) ? detail : undefined;
}

export const MALFORMED_DETAIL: Refusal = { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
