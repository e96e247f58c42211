package cmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memctl/memctl/gitops/object"
	"github.com/memctl/memctl/memory"
	"github.com/memctl/memctl/memory/view"
	"github.com/memctl/memctl/skills"
	"github.com/memctl/memctl/store"
)

// valuesOfFlag lists the values that memory and git have for the flags of this name, in all commands; nil where
// they have none.
func valuesOfFlag(name string) func(context.Context, *store.Stores) []string {
	switch name {
	case "tag":
		return tagsInUse
	case "topic":
		return entryValues(func(e view.LiveEntry) []string { return e.Topics })
	case "conversation":
		return entryValues(func(e view.LiveEntry) []string { return []string{e.Conversation} })
	case "rev", "base", "version":
		return func(ctx context.Context, ss *store.Stores) []string {
			if ss.Repo() == nil {
				return nil
			}
			return object.RefNames(ctx, ss.Repo())
		}
	}
	return nil
}

// entryValues lists the values of one field of all entries.
func entryValues(field func(view.LiveEntry) []string) func(context.Context, *store.Stores) []string {
	return func(ctx context.Context, ss *store.Stores) (values []string) {
		list, _ := view.Entries(ctx, ss, "") // a completion must not print: what cannot be read offers nothing
		for _, e := range list {
			values = append(values, field(e)...)
		}
		return values
	}
}

// tagsInUse lists the tags of items and entries.
func tagsInUse(ctx context.Context, ss *store.Stores) []string {
	tags := entryValues(func(e view.LiveEntry) []string { return e.Tags })(ctx, ss)
	items, _ := view.List(ctx, ss, view.ListRequest{Tier: view.Item})
	for _, it := range items {
		tags = append(tags, it.Tags...)
	}
	return tags
}

// skillNames lists the names of the skills.
func skillNames(ctx context.Context, ss *store.Stores) (names []string) {
	r, err := memory.SkillReader(ctx, ss, "", "")
	if err != nil {
		return nil
	}
	lib := skills.Load(ctx, ss, r)
	for _, s := range lib.Skills {
		names = append(names, s.Name)
	}
	for _, o := range lib.Out {
		names = append(names, o.Name)
	}
	return names
}

// completeOneOf offers values for the first argument, or for a flag.
func (a *app) completeOneOf(values func(context.Context, *store.Stores) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, typed string) (fit []string, done cobra.ShellCompDirective) {
		stores, err := a.completing(c)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, value := range values(c.Context(), stores) {
			if value != "" && value == inert(value) && strings.HasPrefix(value, typed) {
				fit = append(fit, value)
			}
		}
		slices.Sort(fit)
		return slices.Compact(fit), cobra.ShellCompDirectiveNoFileComp
	}
}
