// The quickstart in Go.
package main

import (
	"github.com/pulumi-identity/pulumi-identity/sdk/go/identity"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		conf := config.New(ctx, "")
		supportAgent := identity.GetRoleOutput(ctx, identity.GetRoleOutputArgs{Name: pulumi.String("support-agent")})
		admins := identity.GetGroupOutput(ctx, identity.GetGroupOutputArgs{Name: pulumi.String("directory-admins")})
		billing := identity.GetGroupOutput(ctx, identity.GetGroupOutputArgs{Name: pulumi.String("billing-team")})

		// What one of their members may do.
		access := identity.GetUserPermissionsOutput(ctx, identity.GetUserPermissionsOutputArgs{
			UserId: pulumi.String("auth0|64c1f0a2b7d83e5f9a1b2c3d"),
		})

		// Connections to the identity providers of enterprise tenants are made from this profile.
		enterprise, err := identity.NewConnectionProfile(ctx, "enterprise", &identity.ConnectionProfileArgs{
			Name:                         pulumi.String("enterprise"),
			ConnectionNamePrefixTemplate: pulumi.String("con-{org_id}"),
			EnabledFeatures: identity.ConnectionFeatureArray{
				identity.ConnectionFeatureScim,
				identity.ConnectionFeatureUniversalLogout,
			},
			StrategyOverrides: identity.StrategyOverrideMap{
				"okta": identity.StrategyOverrideArgs{
					EnabledFeatures: identity.ConnectionFeatureArray{identity.ConnectionFeatureScim},
				},
			},
		})
		if err != nil {
			return err
		}

		// Members of these two directory groups work as support agents.
		_, err = identity.NewRoleGroupAssignment(ctx, "support", &identity.RoleGroupAssignmentArgs{
			RoleId:   supportAgent.Id(),
			GroupIds: pulumi.StringArray{admins.Id(), billing.Id()},
		})
		if err != nil {
			return err
		}

		// Deletes a lost phone's credential, for good, if the stack's configuration has its id.
		if lostPhone := conf.Get("lostPhone"); lostPhone != "" {
			_, err = identity.NewDeviceCredentialRemoval(ctx, "lost-phone", &identity.DeviceCredentialRemovalArgs{
				DeviceCredentialId: pulumi.String(lostPhone),
			})
			if err != nil {
				return err
			}
		}

		// The same on a second tenant, if the stack's configuration has one.
		if domain := conf.Get("euDomain"); domain != "" {
			eu, err := identity.NewProvider(ctx, "eu", &identity.ProviderArgs{
				Domain:       pulumi.String(domain),
				ClientId:     pulumi.String(conf.Require("euClientId")),
				ClientSecret: conf.RequireSecret("euClientSecret"),
			})
			if err != nil {
				return err
			}
			role := identity.GetRoleOutput(ctx, identity.GetRoleOutputArgs{Name: pulumi.String("support-agent")}, pulumi.Provider(eu))
			group := identity.GetGroupOutput(ctx, identity.GetGroupOutputArgs{Name: pulumi.String("directory-admins")}, pulumi.Provider(eu))
			_, err = identity.NewRoleGroupAssignment(ctx, "support-eu", &identity.RoleGroupAssignmentArgs{
				RoleId:   role.Id(),
				GroupIds: pulumi.StringArray{group.Id()},
			}, pulumi.Provider(eu))
			if err != nil {
				return err
			}
		}

		ctx.Export("profileId", enterprise.ID())
		ctx.Export("permissions", access.Permissions())
		return nil
	})
}
