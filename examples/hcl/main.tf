terraform {
  required_providers {
    identity = {
      source = "pulumi/identity"
    }
  }
}

data "identity_role" "support_agent" {
  name = "support-agent"
}

data "identity_group" "admins" {
  name = "directory-admins"
}

data "identity_group" "billing" {
  name = "billing-team"
}

# What one of their members may do.
data "identity_user_permissions" "access" {
  user_id = "auth0|64c1f0a2b7d83e5f9a1b2c3d"
}

# Connections to the identity providers of enterprise tenants are made from this profile.
resource "identity_connection_profile" "enterprise" {
  name                            = "enterprise"
  connection_name_prefix_template = "con-{org_id}"
  enabled_features                = ["scim", "universal_logout"]
  strategy_overrides = {
    okta = { enabled_features = ["scim"] }
  }
}

# Members of these two directory groups work as support agents.
resource "identity_role_group_assignment" "support" {
  role_id   = data.identity_role.support_agent.id
  group_ids = [data.identity_group.admins.id, data.identity_group.billing.id]

  # With another role, they get it before they lose this one.
  lifecycle {
    create_before_destroy = true
  }
}

# Deletes a lost phone's credential, for good, if the stack's configuration has its id.
variable "lost_phone" {
  type    = string
  default = ""
}

resource "identity_device_credential_removal" "lost-phone" {
  count                = var.lost_phone == "" ? 0 : 1
  device_credential_id = var.lost_phone
}

# The same on a second tenant, if the stack's configuration has one.
variable "eu_domain" {
  type    = string
  default = ""
}

variable "eu_client_id" {
  type    = string
  default = ""
}

variable "eu_client_secret" {
  type      = string
  default   = ""
  sensitive = true
}

provider "identity" {
  alias         = "eu"
  domain        = var.eu_domain
  client_id     = var.eu_client_id
  client_secret = var.eu_client_secret
}

data "identity_role" "support_agent_eu" {
  count    = var.eu_domain == "" ? 0 : 1
  provider = identity.eu
  name     = "support-agent"
}

data "identity_group" "admins_eu" {
  count    = var.eu_domain == "" ? 0 : 1
  provider = identity.eu
  name     = "directory-admins"
}

resource "identity_role_group_assignment" "support_eu" {
  count     = var.eu_domain == "" ? 0 : 1
  provider  = identity.eu
  role_id   = data.identity_role.support_agent_eu[0].id
  group_ids = [data.identity_group.admins_eu[0].id]
}

output "profileId" {
  value = identity_connection_profile.enterprise.id
}

output "permissions" {
  value = data.identity_user_permissions.access.permissions
}
