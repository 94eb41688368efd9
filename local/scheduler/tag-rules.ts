import { refuseByModel, type TagRules } from '../kernel/tag-rules';
import { validationException } from './errors';

/** The tags of schedule groups. @see https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Tag.html */
export const TAG_RULES: TagRules = { needsValues: true, refuse: refuseByModel(validationException) };
