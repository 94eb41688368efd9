import { TAG_RULES, type TagRules } from '../kernel/tag-rules';
import { invalidParameter } from './errors';

/** The tags of secrets. The texts are ours. @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_TagResource.html */
export const SECRET_TAGS: TagRules = {
  refuse: breaches => invalidParameter(breaches.map(({ rule, text }) => TAG_RULES[rule](text)).join(' ')),
};
