import { TAG_RULES, type TagRules } from '../kernel/tag-rules';
import { invalidParameter } from './errors';

/**
 * The tags of functions and event source mappings. On record is the text for too many of them; the others are ours.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-tags.html
 */
export const LAMBDA_TAGS: TagRules = {
  refuse: ([first]) =>
    invalidParameter(
      !first || first.rule === 'most'
        ? 'Number of tags exceeds function tag limit.'
        : TAG_RULES[first.rule](first.text),
    ),
};
