import { refuseByModel, type TagRules } from '../kernel/tag-rules';
import { validationException } from './errors';

/** The tags of buses and rules. @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_Tag.html */
export const TAG_RULES: TagRules = { needsValues: true, refuse: refuseByModel(validationException) };
