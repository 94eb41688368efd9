import { AwsError } from '../kernel/aws-error';
import { refuseByModel, TAG_RULES, type TagRules } from '../kernel/tag-rules';
import { validation } from './errors';

const refuse = refuseByModel(validation);

/** The tags of parameters. @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_AddTagsToResource.html */
export const PARAMETER_TAGS: TagRules = {
  restrictsCharacters: true,
  needsValues: true,
  refuse: breaches =>
    breaches[0]?.rule === 'most' ? new AwsError('TooManyTagsError', TAG_RULES.most(undefined)) : refuse(breaches),
};
