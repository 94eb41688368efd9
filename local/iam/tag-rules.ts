import { AwsError } from '../kernel/aws-error';
import { refuseByModel, type TagRules } from '../kernel/tag-rules';

/** The tags of roles. @see https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html */
export const ROLE_TAGS: TagRules = {
  restrictsCharacters: true,
  needsValues: true,
  refuse: refuseByModel(text => new AwsError('ValidationError', text)),
};
