import { invalidParameterValue } from './errors';
import { MAX_TAGS } from './limits';
import type { Queue } from './queue';

export type Tags = Readonly<Record<string, string>>;

const KEY_CHARACTERS = { min: 1, max: 128 };
const VALUE_CHARACTERS = { min: 0, max: 256 };

/** Letters, digits, spaces and a few signs, of any script. */
const ALLOWED = /^[\p{L}\p{N}\p{Z}_.:/=+\-@]*$/u;

/**
 * Adds the tags to the queue's; the value of a key it has already is replaced. On record are the texts for too many tags
 * and for a key of the wrong length; the others are ours.
 *
 * @throws AwsError when a tag breaks a rule: none is added then
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-tags.html
 */
export function addTags(queue: Queue, tags: Tags): void {
  const all = checkTags({ ...Object.fromEntries(queue.tags), ...tags }, queue.identity.name);
  for (const [key, value] of Object.entries(all)) queue.tags.set(key, value);
}

/** @throws AwsError the first rule a tag breaks */
export function checkTags(tags: Tags, queueName: string): Tags {
  const entries = Object.entries(tags);
  for (const [key, value] of entries) {
    checkTagKey(key);
    checkLength(value, 'values', VALUE_CHARACTERS);
    for (const text of [key, value]) checkCharacters(text);
  }
  if (entries.length > MAX_TAGS) throw invalidParameterValue(`Too many tags added for queue ${queueName}.`);
  return tags;
}

export function checkTagKey(key: string): void {
  checkLength(key, 'keys', KEY_CHARACTERS);
  if (/^aws:/i.test(key))
    throw invalidParameterValue(`Tag keys cannot begin with aws:, which AWS reserves; got ${key}.`);
}

function checkLength(text: string, what: 'keys' | 'values', { min, max }: { min: number; max: number }): void {
  if (text.length >= min && text.length <= max) return;
  throw invalidParameterValue(`Tag ${what} must be between ${min} and ${max} characters in length.`);
}

function checkCharacters(text: string): void {
  if (ALLOWED.test(text)) return;
  throw invalidParameterValue(`Tags can hold letters, digits, spaces and _ . : / = + - @ only; got ${text}`);
}
