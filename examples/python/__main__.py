"""The quickstart in Python."""

import pulumi
import pulumi_identity as identity

config = pulumi.Config()

support_agent = identity.get_role_output(name="support-agent")
admins = identity.get_group_output(name="directory-admins")
billing = identity.get_group_output(name="billing-team")
# What one of their members may do.
access = identity.get_user_permissions_output(user_id="auth0|64c1f0a2b7d83e5f9a1b2c3d")

# Connections to the identity providers of enterprise tenants are made from this profile.
enterprise = identity.ConnectionProfile(
    "enterprise",
    name="enterprise",
    connection_name_prefix_template="con-{org_id}",
    enabled_features=[
        identity.ConnectionFeature.SCIM,
        identity.ConnectionFeature.UNIVERSAL_LOGOUT,
    ],
    strategy_overrides={"okta": {"enabled_features": [identity.ConnectionFeature.SCIM]}},
)

# Members of these two directory groups work as support agents.
identity.RoleGroupAssignment(
    "support",
    role_id=support_agent.id,
    group_ids=[admins.id, billing.id],
)

# Deletes a lost phone's credential, for good, if the stack's configuration has its id.
if lost_phone := config.get("lostPhone"):
    identity.DeviceCredentialRemoval("lost-phone", device_credential_id=lost_phone)

# The same on a second tenant, if the stack's configuration has one.
if domain := config.get("euDomain"):
    eu = identity.Provider(
        "eu",
        domain=domain,
        client_id=config.require("euClientId"),
        client_secret=config.require_secret("euClientSecret"),
    )
    on_eu = pulumi.InvokeOutputOptions(provider=eu)
    identity.RoleGroupAssignment(
        "support-eu",
        role_id=identity.get_role_output(name="support-agent", opts=on_eu).id,
        group_ids=[identity.get_group_output(name="directory-admins", opts=on_eu).id],
        opts=pulumi.ResourceOptions(provider=eu),
    )

pulumi.export("profileId", enterprise.id)
pulumi.export("permissions", access.permissions)
